// SPDX-License-Identifier: BSD-3-Clause
// How a thermal run goes from infinite temperature down through all temperatures.
#pragma once

#include <cstdint>
#include <vector>

#include "dmrg/job/config.hpp"

namespace strata::dmrg {

/// The sweeps to a temperature from the one before: first some up to its inverse less `half_width`, then one to the
/// temperature itself, and one to as much beyond.
struct TemperatureStep {
    double temperature = 0, half_width = 0;
    double change = 0;  ///< change of 1/T in the first sweeps together
    std::uint64_t first_sweeps = 0;

    std::uint64_t sweeps() const { return first_sweeps + 2; }
    /// Change of 1/T in a sweep, from 0.
    double change_in(std::uint64_t sweep) const {
        return sweep < first_sweeps ? change / static_cast<double>(first_sweeps) : half_width;
    }
};
/// The steps to descending temperatures, from infinite temperature on. The coarse evolution has sweeps, and intervals of the
/// differences that are specific heats, twice as long.
std::vector<TemperatureStep> temperature_steps(const ThermalSettings& settings, bool coarse);

/// Sweeps of both evolutions of a job to all temperatures.
std::uint64_t thermal_sweeps(const DmrgConfig& config);

}  // namespace strata::dmrg
