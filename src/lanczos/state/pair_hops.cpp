// SPDX-License-Identifier: BSD-3-Clause
// The images of a pair of sites are those of the permutations of the symmetry group of the sector.
#include "lanczos/state/pair_hops.hpp"

#include "lanczos/physics/make_model.hpp"

namespace strata::lanczos {

std::vector<SitePair> images(const LanczosPlan& plan, SitePair pair) {
    const auto& symmetric = plan.counts().symmetric();
    if (!symmetric) return {pair};
    std::vector<SitePair> all;
    for (std::uint32_t g = 0; g < symmetric->group->order(); ++g) {
        const SitePermutation& image = symmetric->group->image(g);
        all.emplace_back(image[static_cast<std::size_t>(pair.first)], image[static_cast<std::size_t>(pair.second)]);
        // S+_i S-_j becomes S-_i S+_j
        if (symmetric->group->spin_inversion(g)) std::swap(all.back().first, all.back().second);
    }
    return all;
}

Model hops_of_pair(const LanczosPlan& plan, SitePair pair, bool imaginary) {
    Model model = model_of(plan.model(), {});
    for (const auto& [i, j] : images(plan, pair))
        model.lattice.edges.push_back({j, i, imaginary ? Complex(0, -1) : Complex(-1), 0});
    return model;
}

}  // namespace strata::lanczos
