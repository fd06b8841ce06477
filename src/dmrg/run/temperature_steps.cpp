// SPDX-License-Identifier: BSD-3-Clause
// Intervals of neighbouring temperatures must not overlap, also not those of the coarse evolution.
#include "dmrg/run/temperature_steps.hpp"

#include <algorithm>
#include <cmath>

namespace strata::dmrg {
namespace {

/// Half of the interval of 1/T over which a specific heat is a difference: in units of 1/T, and of the distance to the next one.
constexpr double width_of_difference = 0.003, part_of_distance = 0.2;

}  // namespace

std::vector<TemperatureStep> temperature_steps(const ThermalSettings& settings, bool coarse) {
    const std::vector<double>& t = settings.temperatures;
    const double longer = coarse ? 2 : 1;
    std::vector<TemperatureStep> steps;
    double before = 0;  // 1/T at the end of the last step
    for (std::size_t k = 0; k < t.size(); ++k) {
        const double beta = 1 / t[k], distance = beta - (k == 0 ? 0 : 1 / t[k - 1]);
        double half = std::min(width_of_difference * beta, part_of_distance * distance);
        if (k + 1 < t.size()) half = std::min(half, part_of_distance * (1 / t[k + 1] - beta));
        half *= longer;
        const double change = beta - half - before;
        steps.push_back(
            {t[k], half, change, static_cast<std::uint64_t>(std::ceil(change / (longer * settings.step) - 1e-9))});
        before = beta + half;
    }
    return steps;
}

std::uint64_t thermal_sweeps(const DmrgConfig& config) {
    std::uint64_t sweeps = 0;
    for (const bool coarse : {false, true})
        for (const TemperatureStep& temperature_step : temperature_steps(config.thermal, coarse))
            sweeps += !coarse || config.evolution.estimates_error ? temperature_step.sweeps() : 0;
    return sweeps;
}

}  // namespace strata::dmrg
