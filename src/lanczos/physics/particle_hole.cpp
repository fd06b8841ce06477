// SPDX-License-Identifier: BSD-3-Clause
// H is compared with its image as a sum of products of operators. What remains of the diagonal terms of one spin must be
// the same energy of a particle on all sites: in the half filled sector the mean of an operator and of its image are the
// same, so that nothing else can remain than zero.
#include "lanczos/physics/particle_hole.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace strata::lanczos {
namespace {

/// Hops and energies of one spin, or all terms of particles without spin, as operators of fermions without spin.
OperatorSum terms_of_one_spin(const Model& model) {
    Model one = model;
    if (model.spin_components == 2) one.others = OperatorSum(SiteKind::fermions);
    one.kind = SiteKind::fermions;
    one.spin_components = 1;
    return sum_of_terms(one);
}

std::string between(int i, int j) { return " between sites " + std::to_string(i) + " and " + std::to_string(j); }

/// The pairs of sites that a hop connects.
std::vector<std::pair<int, int>> bonds_of(const OperatorSum& sum) {
    std::vector<std::pair<int, int>> bonds;
    for (const auto& [product, amplitude] : sum.terms())
        if (product.size() == 2 && change_of(product) == ChargeChange{0, 0} && product[0].local != Local::z)
            bonds.emplace_back(product[0].site, product[1].site);
    return bonds;
}

/// Colours of sites, 1 and -1, that differ on the two sites of each bond; `broken` names a bond where they cannot.
std::vector<int> two_colours(const std::vector<std::pair<int, int>>& bonds, int sites, std::string& broken) {
    std::vector<int> colour(static_cast<std::size_t>(sites), 0);
    const auto of = [&](int site) -> int& { return colour[static_cast<std::size_t>(site)]; };
    for (int first = 0; first < sites; ++first) {
        if (of(first) != 0) continue;
        of(first) = 1;
        for (bool grown = true; grown;) {
            grown = false;
            for (const auto& [i, j] : bonds)
                for (const auto& [from, to] : {std::pair(i, j), std::pair(j, i)})
                    if (of(from) != 0 && of(to) == 0) {
                        of(to) = -of(from);
                        grown = true;
                    }
        }
    }
    for (const auto& [i, j] : bonds)
        if (of(i) == of(j)) broken = "the hop" + between(i, j) + " of the same sublattice";
    return colour;
}

/// A term of the sum that its image does not have; empty if they differ by a uniform energy of a particle at most.
std::string changed_term(const OperatorSum& sum, const std::vector<int>& signs) {
    OperatorSum rest = sum.exchanged(signs);
    rest *= -1;
    rest += sum;
    const double limit = 1e-12 * sum.largest();
    std::vector<double> energies(signs.size(), 0);
    for (const auto& [product, coefficient] : rest.terms()) {
        if (product.empty()) continue;
        if (product.size() == 1 && product[0].local == Local::z)
            energies[static_cast<std::size_t>(product[0].site)] = coefficient.real();
        else if (std::abs(coefficient) > limit)
            return product.size() == 2 && product[0].local != Local::z && product[1].local != Local::z
                       ? "the hop" + between(product[0].site, product[1].site) + ", whose amplitude is not real"
                       : "the term " + text_of(product, sum.kind());
    }
    for (std::size_t i = 1; i < energies.size(); ++i)
        if (std::abs(energies[i] - energies[0]) > limit)
            return "the energy of site " + std::to_string(i) +
                   ", its interaction with other sites included, which is not that of site 0";
    return {};
}

/// The same of the interaction U n_up n_dn and V n_up n_dn of both spins, whose image has energies of single particles.
std::string changed_interaction(const Model& model) {
    if (model.spin_components == 1) return {};
    const std::vector<double> pairs = pair_energies(model);
    if (pairs.empty()) return {};
    const auto sites = static_cast<std::ptrdiff_t>(model.lattice.sites);
    std::vector<double> sums;
    double largest = 0;
    for (auto row = pairs.begin(); row != pairs.end(); row += sites) {
        sums.push_back(std::accumulate(row, row + sites, 0.0));
        for (std::ptrdiff_t j = 0; j < sites; ++j) largest = std::max(largest, std::abs(row[j]));
    }
    for (std::size_t i = 1; i < sums.size(); ++i)
        if (std::abs(sums[i] - sums[0]) > 1e-12 * static_cast<double>(sites) * largest)
            return "the interaction of site " + std::to_string(i) + ", which is not that of site 0";
    return {};
}

}  // namespace

ParticleHole particle_hole(const Model& model) {
    ParticleHole result;
    const OperatorSum sum = terms_of_one_spin(model);
    result.signs = two_colours(bonds_of(sum), model.lattice.sites, result.broken);
    for (const auto& changed : {changed_term(sum, result.signs), changed_interaction(model)})
        if (result.broken.empty()) result.broken = changed;
    return result;
}

}  // namespace strata::lanczos
