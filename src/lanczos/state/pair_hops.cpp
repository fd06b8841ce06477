// SPDX-License-Identifier: BSD-3-Clause
// The images of a pair of sites are those of the permutations of the symmetry group of the sector. A complement turns
// S+_i S-_j into S-_i S+_j, and c+_i c_j into e_i e_j c_i c+_j = -e_i e_j c+_j c_i.
#include "lanczos/state/pair_hops.hpp"

#include "lanczos/physics/make_model.hpp"

namespace strata::lanczos {

std::vector<PairImage> images(const LanczosPlan& plan, SitePair pair) {
    const auto& symmetric = plan.counts().symmetric();
    if (!symmetric) return {{pair, 1}};
    const SymmetryGroup& group = *symmetric->group;
    const std::vector<int>& e = group.sublattice_signs();
    std::vector<PairImage> all;
    for (std::uint32_t g = 0; g < group.order(); ++g) {
        const auto moved = [&](int site) { return group.image(g)[static_cast<std::size_t>(site)]; };
        const int i = moved(pair.first), j = moved(pair.second);
        if (!group.complements(g))
            all.push_back({{i, j}, 1});
        else
            all.push_back(
                {{j, i}, e.empty() || e[static_cast<std::size_t>(i)] != e[static_cast<std::size_t>(j)] ? 1.0 : -1.0});
    }
    return all;
}

Model hops_of_pair(const LanczosPlan& plan, SitePair pair, bool imaginary) {
    Model model = model_of(plan.model(), {});
    for (const auto& [sites, sign] : images(plan, pair)) {
        const Complex amplitude = imaginary ? Complex(0, -1) : Complex(-1);
        model.lattice.edges.push_back({sites.second, sites.first, sign < 0 ? -amplitude : amplitude, 0});
    }
    return model;
}

}  // namespace strata::lanczos
