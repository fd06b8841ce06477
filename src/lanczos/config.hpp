// SPDX-License-Identifier: BSD-3-Clause
// The keys of a Lanczos job and what they resolve to.
#pragma once

#include <string>
#include <vector>

#include "lanczos/hamiltonian.hpp"
#include "lattices/lattice.hpp"
#include "strata/config.hpp"

namespace strata::lanczos {

enum class RequestedArithmetic { automatic, real, complex };

/// What a run is for.
enum class Task { states, spectrum, thermal, evolution };

/// How rows of other ranks are had: those of the own node in place and others as moves least; by messages; by turning
/// panels.
enum class RequestedExchange { automatic, rows, transpose };

/// Of vectors; sums and small matrices are always double.
enum class Precision { double_, single };

/// Wave-vector quantities of lattices with several sites in a cell: summed with the phases of their positions, or one
/// by one.
enum class Sublattices { summed, separate };

enum class SpectralOperator { removal, addition, density, spin };

struct LanczosConfig {
    LatticeSpec lattice;
    std::string lattice_file;   ///< instead of the spec: the path, for messages
    std::string lattice_edges;  ///< and the content
    bool spins = false;         ///< XXZ model instead of fermions
    int spin_components = 2;
    std::vector<double> u = {0}, epsilon = {0};  ///< one for all sites, or one per site
    double v = 0, jxy = 1, jz = 1;
    int up = 0, down = 0;

    Task task = Task::states;
    std::uint64_t states = 1, block = 1, basis = 0;  ///< basis 0: chosen
    std::uint64_t max_steps = 0;
    double tolerance = 0;  ///< of the residual, relative to |E| or |E - mean of the diagonal|
    bool vectors = true, allow_unconverged = false, density_matrix = false;
    bool degeneracy = true;  ///< search for further ground states
    Sublattices sublattices = Sublattices::summed;
    std::uint64_t seed = 1;

    struct Spectrum {
        SpectralOperator op = SpectralOperator::density;
        std::vector<std::int64_t> momenta;  ///< m1,m2 pairs; empty: all
        std::vector<double> omega;
        double broadening = 0.1;
        std::uint64_t steps = 150;
    } spectrum;
    struct Thermal {
        std::vector<double> temperatures;
        std::uint64_t samples = 20, steps = 60;
    } thermal;
    struct Evolution {
        std::vector<std::int64_t> up, down;  ///< occupied sites of the first state
        double step = 0.1;
        std::uint64_t steps = 100, krylov = 16;
    } evolution;

    RequestedArithmetic arithmetic = RequestedArithmetic::automatic;
    RequestedExchange exchange = RequestedExchange::automatic;
    Precision precision = Precision::double_;
    std::string simd = "auto";
};

std::vector<Key> keys();
std::vector<std::string> validate(const Config& config);
std::vector<std::string> validate_resume(const Config& before, const Config& now);
/// For a Config without errors.
LanczosConfig resolve_config(const Config& config);
/// The lattice with its couplings. Throws Error(bad_input) as make_lattice and parse_lattice do.
Model make_model(const LanczosConfig& config);

/// Most steps a run can ever make: room for their coefficients is set aside.
constexpr std::uint64_t max_steps = 10000;

}  // namespace strata::lanczos
