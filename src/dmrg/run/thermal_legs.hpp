// SPDX-License-Identifier: BSD-3-Clause
// The way of a thermal run from infinite temperature down through all temperatures.
#pragma once

#include <cstdint>
#include <vector>

#include "dmrg/job/config.hpp"

namespace strata::dmrg {

/// The way of 1/T to a temperature: sweeps up to its inverse less `half_width`, one to it, and one to as much beyond.
struct ThermalLeg {
    double temperature = 0, half_width = 0;
    double way = 0;  ///< change of 1/T in the first sweeps together
    std::uint64_t first_sweeps = 0;

    std::uint64_t sweeps() const { return first_sweeps + 2; }
};
/// The ways to descending temperatures from infinite temperature. The coarse evolution has sweeps, and intervals of the
/// differences that are specific heats, twice as long.
std::vector<ThermalLeg> thermal_legs(const ThermalSettings& settings, bool coarse);

/// Sweeps of both evolutions of a job to all temperatures.
std::uint64_t thermal_sweeps(const DmrgConfig& config);

}  // namespace strata::dmrg
