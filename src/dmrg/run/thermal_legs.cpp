// SPDX-License-Identifier: BSD-3-Clause
#include "dmrg/run/thermal_legs.hpp"

#include <algorithm>
#include <cmath>

namespace strata::dmrg {
namespace {

/// Half of the interval of 1/T over which a specific heat is a difference: in units of 1/T, and of the distance to the next one.
constexpr double width_of_difference = 0.003, part_of_distance = 0.2;

}  // namespace

std::vector<ThermalLeg> thermal_legs(const ThermalSettings& settings, bool coarse) {
    const std::vector<double>& t = settings.temperatures;
    const double longer = coarse ? 2 : 1;
    std::vector<ThermalLeg> legs;
    double before = 0;  // 1/T at the end of the last way
    for (std::size_t k = 0; k < t.size(); ++k) {
        const double beta = 1 / t[k], distance = beta - (k == 0 ? 0 : 1 / t[k - 1]);
        double half = std::min(width_of_difference * beta, part_of_distance * distance);
        if (k + 1 < t.size()) half = std::min(half, part_of_distance * (1 / t[k + 1] - beta));
        half *= longer;
        const double way = beta - half - before;
        legs.push_back({t[k], half, way, static_cast<std::uint64_t>(std::ceil(way / (longer * settings.step) - 1e-9))});
        before = beta + half;
    }
    return legs;
}

std::uint64_t thermal_sweeps(const DmrgConfig& config) {
    std::uint64_t sweeps = 0;
    for (const bool coarse : {false, true})
        for (const ThermalLeg& leg : thermal_legs(config.thermal, coarse))
            sweeps += !coarse || config.evolution.estimates_error ? leg.sweeps() : 0;
    return sweeps;
}

}  // namespace strata::dmrg
