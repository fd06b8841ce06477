// SPDX-License-Identifier: BSD-3-Clause
// Every permutation is tested on the couplings and energies of the model, so that fields and bonds from files are
// included.
#include "dmrg/physics/symmetries.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace strata::dmrg {
namespace {

using Permutation = std::vector<int>;

/// The couplings with permuted sites, sorted.
std::vector<std::tuple<int, int, std::size_t, double>> permuted(const Model& model, const Permutation& p) {
    std::vector<std::tuple<int, int, std::size_t, double>> all;
    for (const Coupling& c : model.couplings) {
        const int i = p[static_cast<std::size_t>(c.i)], j = p[static_cast<std::size_t>(c.j)];
        all.emplace_back(std::min(i, j), std::max(i, j), c.channel, c.amplitude);
    }
    std::ranges::sort(all);
    return all;
}

/// The permutation that maps the site at (x, y) to site f(x, y).
template <class F>
Permutation permutation(const Model& model, int width, F f) {
    Permutation p;
    for (int site = 0; site < model.sites; ++site) p.push_back(f(site / width, site % width));
    return p;
}

}  // namespace

std::vector<Permutation> site_symmetries(const Model& model, int width) {
    const int length = model.sites / width;
    const auto site = [&](int x, int y) { return width * x + y; };
    std::vector<Permutation> found;
    const auto same = permuted(model, permutation(model, width, site));
    for (const Permutation& p : {permutation(model, width, [&](int x, int y) { return site(length - 1 - x, y); }),
                                 permutation(model, width, [&](int x, int y) { return site(x, width - 1 - y); }),
                                 permutation(model, width, [&](int x, int y) { return site(x, (y + 1) % width); })}) {
        bool holds = permuted(model, p) == same && are_equal(model.others, model.others.permuted(p));
        for (std::size_t i = 0; i < p.size(); ++i)
            holds = holds && model.energies[i] == model.energies[static_cast<std::size_t>(p[i])];
        if (holds) found.push_back(p);
    }
    return found;
}

double broken_symmetry(const Model& model, int width, std::span<const double> local_values) {
    const auto sites = static_cast<std::size_t>(model.sites);
    double largest = 0;
    for (const Permutation& p : site_symmetries(model, width))
        for (std::size_t op = 0; op < model.local.size(); ++op)
            for (std::size_t i = 0; i < sites; ++i)
                largest = std::max(largest, std::abs(local_values[op * sites + i] -
                                                     local_values[op * sites + static_cast<std::size_t>(p[i])]));
    for (std::size_t i = 0; i < sites && !model.flips.empty(); ++i)
        largest = std::max(largest,
                           std::abs(model.kind == SiteKind::electrons ? (local_values[i] - local_values[sites + i]) / 2
                                                                      : local_values[i]));
    return largest;
}

}  // namespace strata::dmrg
