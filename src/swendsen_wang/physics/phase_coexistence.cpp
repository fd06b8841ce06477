// SPDX-License-Identifier: BSD-3-Clause
// Square lattice: e^K_t = 1 + sqrt q, energies -(1 + 1 / sqrt q) -+ latent heat / 2 per site (R. J. Baxter, J. Phys. C 6,
// L445 (1973)). Cubic lattice: e^K_t = (q - 2) / ((q - 1)^(2/3) - 1) of the Bethe lattice plus 0.09 / q, within 2 in 1000 of
// 0.550565 (q = 3; W. Janke, R. Villanova, Nucl. Phys. B 489, 679 (1997)) and of K_t from energies integrated over K from
// both ends on 6^3 to 10^3 sites (q = 6, 10, 20, 50). The logarithm of the weight of the ordered phases over that of the
// disordered one is ln q + N times the integral of the difference of their energies over K from K_t on (C. Borgs, R.
// Kotecky, J. Stat. Phys. 61, 79 (1990)).
#include "swendsen_wang/physics/phase_coexistence.hpp"

#include <algorithm>
#include <cmath>
#include <span>

namespace strata::swendsen_wang {
namespace {

double square_latent_heat(double q) {
    const double theta = std::acosh(std::sqrt(q) / 2);
    double heat = 2 * (1 + 1 / std::sqrt(q)) * std::tanh(theta / 2);
    for (int n = 1; n * theta < 20; ++n) heat *= std::tanh(n * theta) * std::tanh(n * theta);
    return heat;
}

double median(std::vector<double>& values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::ranges::nth_element(values, middle);
    return *middle;
}

/// Number of times that a series went from below the first to above the second threshold, or back.
int crossings(std::span<const double> series, double low, double high) {
    int count = 0, side = 0;
    for (const double value : series) {
        const int now = value < low ? -1 : value > high ? 1 : side;
        count += now == -side && side != 0;
        side = now;
    }
    return count;
}

}  // namespace

std::optional<FirstOrderTransition> first_order_transition(int states, std::size_t dimensions) {
    const double q = states;
    if (states <= (dimensions == 2 ? 4 : 2)) return std::nullopt;
    if (dimensions == 2)
        return FirstOrderTransition{std::log1p(std::sqrt(q)), 0, -(1 + 1 / std::sqrt(q)) / 2,
                                    square_latent_heat(q) / 2};
    // energies of 6^3 to 24^3 sites from both starts: differences 0.16, 0.57, 1.14, 1.74, 2.65, middles -1.66, -1.60, -1.56,
    // -1.55, -1.55 of q = 3, 4, 6, 10, 50
    const double heat = states == 3 ? 0.16 : 3 - 7.23 * std::pow(q, -0.774);
    return FirstOrderTransition{std::log((q - 2) / (std::cbrt((q - 1) * (q - 1)) - 1) + 0.09 / q), 0.003,
                                -(1 + 1 / (3 * q)) / 2, heat / 3};
}

double transition_coupling(int states, std::size_t dimensions) {
    if (dimensions == 2) return std::log1p(std::sqrt(states));
    const auto transition = first_order_transition(states, dimensions);
    return transition ? transition->coupling
                      : 2 * 0.221654626;  // Ferrenberg, Xu, Landau, Phys. Rev. E 97, 043301 (2018)
}

bool may_be_metastable(const PottsLattice& lattice, double coupling, double tau, std::vector<double> energies) {
    constexpr int enough_crossings = 10;
    constexpr double enough = 50;     // autocorrelation times that may show that phases turn into each other
    constexpr double share = 0.35;    // thresholds from the middle, in units of the latent heat
    constexpr double apart = 5;       // deviations between the energies of phases that hardly turn into each other
    constexpr double negligible = 7;  // logarithm of the ratio of weights: 1 in 1000
    constexpr double of_short_axes = 0.5, of_median = 1.4826;
    const auto t = first_order_transition(lattice.states, lattice.extents.size());
    if (!t || energies.empty()) return false;
    const double dimensions = static_cast<double>(lattice.extents.size()), bonds = lattice.bonds_per_site;
    const double latent_heat = bonds * t->latent_heat, middle = bonds * t->energy;
    if (crossings(energies, middle - share * latent_heat, middle + share * latent_heat) >= enough_crossings)
        return false;
    const double energy = median(energies);
    for (double& e : energies) e = std::abs(e - energy);
    const bool few = static_cast<double>(energies.size()) < enough * tau;
    if (!few && apart * of_median * median(energies) > latent_heat) return false;

    double sites = 1;
    for (const std::uint64_t extent : lattice.extents) sites *= static_cast<double>(extent);
    // the mean of the difference at K_t and here, the latter without the change of the other phase
    const double difference = (1.5 * latent_heat + std::abs(energy - middle)) / 2;
    const auto log_ratio = [&](double transition) {
        return std::log(lattice.states) + sites * difference * (coupling - transition);
    };
    // what each missing bond takes from the ordered phases for large q, where the energy per bond of the disordered one is
    // -e^K / (e^K + q - 1) and of the ordered ones -1; in proportion to the latent heat else, to a factor
    const double weight = std::exp(t->coupling), large_q = (lattice.states - 1) / (weight + lattice.states - 1);
    const double of_surface =
        sites * (dimensions - bonds) * std::log(lattice.states) / dimensions * t->latent_heat / large_q;
    const double shortest = static_cast<double>(*std::ranges::min_element(lattice.extents));
    const double shift = t->coupling * (t->uncertainty + of_short_axes / (shortest * shortest));
    const bool ordered = energy < middle;
    return ordered ? !(log_ratio(t->coupling + shift) - 1.5 * of_surface > negligible)
                   : !(log_ratio(t->coupling - shift) - of_surface / 3 < -negligible);
}

}  // namespace strata::swendsen_wang
