// SPDX-License-Identifier: BSD-3-Clause
// The same patches and terms as those of state/superblock.cpp, where all operators have elements between all sectors
// that their charges connect.
#include "dmrg/run/superblock_shape.hpp"

#include <algorithm>
#include <set>

namespace strata::dmrg {

std::size_t products_across(const Model& model, std::size_t channel, int centre) {
    std::set<int> left, right;
    for (const Coupling& c : model.couplings) {
        if (c.channel != channel || c.i > centre || c.j <= centre || (c.i == centre && c.j == centre + 1)) continue;
        left.insert(c.i);
        right.insert(c.j);
    }
    return std::min(left.size(), right.size());
}

superblock::Target superblock_shape(const Model& model, int centre, const Sectors& left, const Sectors& right) {
    using superblock::Factor;
    std::vector<superblock::Patch> patches;
    for (std::size_t l = 0; l < left.size(); ++l)
        if (const auto r = right.find(left.charges[l]))
            patches.push_back({left.charges[l].up, left.charges[l].down, {right.states[*r], left.states[l]}});
    std::vector<std::pair<Charge, std::size_t>> products;  // upward change of charge, number
    for (std::size_t c = 0; c < model.channels.size(); ++c)
        if (const std::size_t n = products_across(model, c, centre); n > 0) {
            const Charge change = model.channels[c].change;
            products.emplace_back(std::max(change, Charge{} - change), n);
        }
    superblock::Target target{superblock::PatchLayout(patches), {}};
    for (std::size_t i = 0; i < patches.size(); ++i) {
        target.terms.push_back({i, i, 1, Factor::dense, Factor::identity});
        target.terms.push_back({i, i, 1, Factor::identity, Factor::dense});
        for (std::size_t j = i; j < patches.size(); ++j)
            for (const auto& [change, n] : products)
                if (Charge{patches[j].up, patches[j].down} == Charge{patches[i].up, patches[i].down} + change)
                    target.terms.push_back({i, j, n});
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
