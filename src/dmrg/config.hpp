// SPDX-License-Identifier: BSD-3-Clause
// The keys of a density-matrix renormalization and the values that they resolve to.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "dmrg/model.hpp"
#include "krylov/hermitian_operator.hpp"
#include "strata/choices.hpp"
#include "strata/config.hpp"

namespace strata::dmrg {

/// Sweeps that a job may have.
inline constexpr std::size_t max_sweeps = 1000;

enum class Measured { local, correlations };
inline constexpr Choice<Measured> measured_choices[] = {{"local", Measured::local},
                                                        {"correlations", Measured::correlations}};

/// One sweep from left to right and back.
struct SweepSettings {
    std::uint64_t states = 0;  ///< M
    double noise = 0;
};

struct DmrgConfig {
    Model model;
    std::string lattice;                  ///< in words
    int width = 1;                        ///< sites of a rung; 1 for a chain or bonds from a file
    std::vector<Bond> bonds;              ///< between sites in the order of the chain
    std::vector<double> noise;            ///< of each sweep, the last one also of all that follow
    std::vector<SweepSettings> schedule;  ///< empty: chosen while it runs
    double tolerance = 1e-8;              ///< error of the energy that ends a run without schedule
    std::uint64_t start_states = 0, max_states = 0, max_sweeps = 0;
    std::uint64_t states = 1;         ///< lowest states of the sector
    std::uint64_t products = 0;       ///< multiplications by H per bond, at most
    std::uint64_t single_sweeps = 0;  ///< first ones in single precision
    double cutoff = 0;
    Measured measured = Measured::local;
    bool allow_unconverged = false;
    std::string scratch_directory;  ///< of blocks that are on disk; empty: they are in memory
    std::uint64_t seed = 1;
    std::string simd = "auto";

    double noise_of(std::size_t sweep) const;
    /// Of the starts that are compared: fewer do not hold enough charges.
    std::uint64_t states_of_starts() const { return std::max<std::uint64_t>(start_states, 64); }
};

std::vector<Key> keys();
std::vector<std::string> validate(const Config& config);
std::vector<std::string> validate_resume(const Config& before, const Config& now);
/// For a Config whose values are each of their type and in their range. Throws Error(bad_input) for a lattice, list of
/// values or sector that cannot be.
DmrgConfig resolve_config(const Config& config);

}  // namespace strata::dmrg
