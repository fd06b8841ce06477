// SPDX-License-Identifier: BSD-3-Clause
// The keys of a Swendsen-Wang job and their values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "comm/label_ownership.hpp"
#include "strata/config.hpp"

namespace strata::swendsen_wang {

enum class Start { cold, hot };
enum class Coordinate { beta, temperature };
enum class Merge { automatic, exchange, tree };

struct SwendsenWangConfig {
    std::vector<std::uint64_t> extents;        ///< x, y[, z], each >= 2
    double coupling = 1;                       ///< J > 0
    Coordinate coordinate = Coordinate::beta;  ///< the one of the two that the job gives
    std::vector<double> betas;                 ///< in 1/J_unit; infinity at temperature 0; more than one is a scan
    std::uint64_t sweeps = 0;                  ///< per point, after thermalization
    std::uint64_t thermalization = 0;          ///< per point
    std::uint64_t measure_every = 1;
    std::uint64_t seed = 1;
    Start start = Start::cold;
    Merge merge = Merge::automatic;
    std::string simd;  ///< auto or the name of a variant

    std::uint64_t sites() const;
    double temperature(std::size_t point) const { return 1 / betas[point]; }
};

/// The application's own keys.
std::vector<Key> keys();

/// Errors in values that are each valid alone: one sentence per error.
std::vector<std::string> validate(const Config& config);

/// Changes that a resumed run must not make although the single keys may change: one sentence per error.
std::vector<std::string> validate_resume(const Config& before, const Config& now);

/// The values of a Config without errors.
SwendsenWangConfig resolve_config(const Config& config);

}  // namespace strata::swendsen_wang
