// SPDX-License-Identifier: BSD-3-Clause
// Energies that a sum over equidistant times tells apart from their images (physics/time_spectrum.hpp).
#pragma once

#include <numbers>

namespace strata::dmrg {

/// Gaussians are zero at this many standard deviations: 1.5e-8 of their maximum.
inline constexpr double gaussian_reach = 6;

/// One period 2 pi / step, from `lowest` on. Poles lie above the ground state of their sector, so that most of it is above 0.
struct EnergyRange {
    double lowest = 0, period = 0;
    double highest() const { return lowest + period; }
};
inline EnergyRange resolved_energies(double step) {
    const double period = 2 * std::numbers::pi / step;
    return {-period / 4, period};
}

}  // namespace strata::dmrg
