// SPDX-License-Identifier: BSD-3-Clause
// With the reduced coupling K of the Potts model, e^-K for each bond that a wall cuts:
// Square lattice: the tension is sigma = K - ln coth(K / 2) of a wall without overhangs (for q = 2 also Onsager's), and with
// the dual coupling K* = ln(1 + q / (e^K - 1)) (R. B. Potts, Proc. Cambridge Philos. Soc. 48, 106 (1952)) K - K*, which
// vanishes at T_c; both are equal for q = 2, and lie on either side of transfer matrices for q = 3 to 10, whose mean is taken.
// A closed wall of length W has the weight that follows from Kaufman's solution of the Ising model of the same tension; a
// wall with free ends e^(-sigma W) tanh(K / 2).
// Cubic lattice: kappa = exp(-K A g - 1.45 (1 - g)) for A bonds, g = 1 - exp(-2.1 (K / K_c - 1)), fitted to the transfer
// matrices of 2 x 2 to 3 x 4 sites from K_c to 2.3 K_c; at an open side, sites of the edge of a wall move for 3 bonds and at corners
// for 2.
#include "swendsen_wang/physics/domain_walls.hpp"

#include <cmath>
#include <numbers>

#include "swendsen_wang/physics/exact.hpp"
#include "swendsen_wang/physics/phase_coexistence.hpp"

namespace strata::swendsen_wang {
namespace {

/// Tension per bond of the square lattice below T_c.
double square_tension(double k, double q) {
    return k + (std::log(std::tanh(k / 2)) - std::log1p(q / std::expm1(k))) / 2;
}

/// kink_weight() for large W: the energies cosh w = cosh sigma + 1 - cos p of its solution have the curvature 1 / sinh sigma at p = 0.
double wide_kink_weight(double width, double sigma) {
    return std::exp(-sigma * width) * std::sqrt(std::sinh(sigma) / (2 * std::numbers::pi * width));
}

/// Reduced coupling of the Ising model whose walls have this tension: 2 x + ln tanh x = sigma, x = ln(y) / 2.
double coupling_of_tension(double sigma) {
    const double e = std::exp(sigma), y = (1 + e + std::sqrt((1 + e) * (1 + e) + 4 * e)) / 2;
    return std::log(y) / 2;
}

double square_wall(double k, int q, std::uint64_t width, bool open) {
    constexpr double negligible = 60;        // sigma W of walls that do not occur
    constexpr std::uint64_t widest = 65536;  // width up to which all wave vectors are summed
    const double sigma = square_tension(k, q);
    if (!(k > transition_coupling(q, 2)) || sigma * static_cast<double>(width) > negligible) return 0;
    if (open) return std::tanh(k / 2) * std::exp(-sigma * static_cast<double>(width));
    return width > widest ? wide_kink_weight(static_cast<double>(width), sigma)
                          : kink_weight(width, coupling_of_tension(sigma));
}

double cubic_wall(const UniformLattice& lattice, std::size_t axis) {
    const double k = lattice.coupling;
    const double g = -std::expm1(-2.1 * (k / transition_coupling(lattice.states, 3) - 1));
    if (!(g > 0)) return 0;
    double bonds = 1, corners = 4, edges = 0;
    for (std::size_t a = 0; a < 3; ++a) {
        if (a == axis) continue;
        bonds *= static_cast<double>(lattice.extents[a]);
        if (!lattice.open[a]) corners = 0;
        const std::size_t along = 3 - axis - a;  // an open axis ends at two edges
        if (lattice.open[a]) edges += 2 * (static_cast<double>(lattice.extents[along]) - (lattice.open[along] ? 2 : 0));
    }
    return std::exp(-k * bonds * g - 1.45 * (1 - g) + corners * std::log1p(2 * std::exp(-2 * k)) +
                    edges * std::log1p(2 * std::exp(-3 * k)));
}

}  // namespace

double wall_weight(const UniformLattice& lattice, std::size_t axis) {
    if (!std::isfinite(lattice.coupling) || !(lattice.coupling > 0)) return 0;
    if (lattice.extents.size() == 3) return cubic_wall(lattice, axis);
    return square_wall(lattice.coupling, lattice.states, lattice.extents[1 - axis], lattice.open[1 - axis]);
}

}  // namespace strata::swendsen_wang
