// SPDX-License-Identifier: BSD-3-Clause
// The same patches and terms as those of state/superblock.cpp, where all operators have elements between all sectors
// that their charges connect.
#include "dmrg/run/superblock_shape.hpp"

namespace strata::dmrg {

std::size_t products_across(const Model& model, int centre) {
    std::size_t products = 0;
    for (const CrossingGroup& group : model.terms.crossing(centre)) products += group.products.size();
    return products;
}

superblock::Target superblock_shape(const Model& model, int centre, const Sectors& left, const Sectors& right) {
    using superblock::Factor;
    std::vector<superblock::Patch> patches;
    std::vector<Charge> charges;
    for (std::size_t l = 0; l < left.size(); ++l)
        if (const auto r = right.find(left.charges[l])) {
            charges.push_back(left.charges[l]);
            patches.push_back({left.charges[l].up, left.charges[l].down, {right.states[*r], left.states[l]}});
        }
    const std::vector<CrossingGroup> groups = model.terms.crossing(centre);
    superblock::Target target{superblock::PatchLayout(patches), {}};
    for (std::size_t i = 0; i < patches.size(); ++i) {
        target.terms.push_back({i, i, 1, Factor::dense, Factor::identity});
        target.terms.push_back({i, i, 1, Factor::identity, Factor::dense});
        for (std::size_t j = i; j < patches.size(); ++j)
            for (const CrossingGroup& group : groups) {
                const bool forward = group.conjugate && charges[i] + group.change == charges[j],
                           backward = charges[j] + group.change == charges[i];
                const std::size_t n = group.products.size() * ((forward ? 1 : 0) + (backward ? 1 : 0));
                if (n > 0) target.terms.push_back({i, j, n});
            }
    }
    return target;
}

double dense_elements(const superblock::Target& target) {
    double elements = 0;
    for (const superblock::Term& t : target.terms) {
        if (t.left != superblock::Factor::dense || t.right != superblock::Factor::dense) continue;
        const superblock::PatchShape &i = target.layout[t.i], &j = target.layout[t.j];
        elements += static_cast<double>(t.operators) * (static_cast<double>(i.l) * static_cast<double>(j.l) +
                                                        static_cast<double>(i.r) * static_cast<double>(j.r));
    }
    return elements;
}

}  // namespace strata::dmrg
