// SPDX-License-Identifier: BSD-3-Clause
// Exact energy and specific heat of the square lattice on a torus.
#pragma once

#include <cstdint>

namespace strata::swendsen_wang {

struct ExactTorus {
    double energy = 0;         ///< per site, in units of J
    double specific_heat = 0;  ///< per site, K^2 d^2 ln Z / dK^2 / N
};

/// Axes across whose ends the couplings have the other sign.
struct Antiperiodic {
    bool x = false, y = false;
    bool operator==(const Antiperiodic&) const = default;
};

/// The ferromagnet H = -J sum s s' on nx x ny sites, periodic, every site owning one bond per positive direction (so
/// that an extent of 2 couples twice), at reduced coupling K = beta J > 0. B. Kaufman, Phys. Rev. 76, 1232 (1949);
/// A. E. Ferdinand and M. E. Fisher, Phys. Rev. 185, 832 (1969). O(nx) operations in long double. NaN
/// where the terms of an antiperiodic lattice cancel, as they do for long interfaces below T_c.
ExactTorus exact_torus(std::uint64_t nx, std::uint64_t ny, double reduced_coupling, Antiperiodic antiperiodic = {});

/// Weight kappa of one domain wall per site along a cylinder of this circumference, far below T_c: states with n walls have
/// the weight (kappa L)^n / n!, Z = 2 cosh(kappa L) on L sites. Half of the logarithm of the ratio of the two largest
/// eigenvalues of the transfer matrix, by Kaufman's solution; O(width) operations, at K below and above K_c.
double kink_weight(std::uint64_t width, double reduced_coupling);

}  // namespace strata::swendsen_wang
