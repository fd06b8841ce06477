// SPDX-License-Identifier: BSD-3-Clause
// Every block is stored for the columns that the rank owns; the layouts alone decide what it takes.
#include "kronecker/rank_blocks.hpp"

namespace strata::kronecker {
namespace {

BlockShape shape_of(const Target& target, const Term& t, Orientation orientation) {
    const PatchShape &i = target.layout[t.i], &j = target.layout[t.j];
    const bool listed = orientation == Orientation::as_listed;
    return {listed ? i : j, listed ? j : i, t.operators, t.left, t.right};
}

template <class Real>
RankBlock<Real> one_way(const Target& target, std::size_t term, Orientation orientation, const Range& own) {
    const Term& t = target.terms[term];
    const bool listed = orientation == Orientation::as_listed;
    return {term,
            orientation,
            listed ? t.i : t.j,
            listed ? t.j : t.i,
            BlockLayout<Real>(shape_of(target, t, orientation), own, Directions::forward),
            own,
            {},
            0};
}

}  // namespace

template <class Real>
std::vector<RankBlock<Real>> rank_blocks(const Target& target, const Range& columns) {
    std::vector<RankBlock<Real>> blocks;
    const auto add = [&](RankBlock<Real> block) {
        block.pool = pool_reals(blocks);
        blocks.push_back(block);
    };
    for (std::size_t term = 0; term < target.terms.size(); ++term) {
        const Term& t = target.terms[term];
        const Range of_i = target.layout.part_of(t.i, columns), of_j = target.layout.part_of(t.j, columns);
        const RankBlock<Real> there = one_way<Real>(target, term, Orientation::as_listed, of_i),
                              back = one_way<Real>(target, term, Orientation::transposed, of_j);
        if (!of_i.empty() && !of_j.empty() && !t.diagonal()) {
            const BlockLayout<Real> both(there.layout.shape(), Directions::both);
            if (both.reals() <= there.layout.reals() + back.layout.reals()) {
                add({term, Orientation::as_listed, t.i, t.j, both, of_i, of_j, 0});
                continue;
            }
        }
        if (!of_i.empty()) add(there);
        if (!of_j.empty() && !t.diagonal()) add(back);
    }
    return blocks;
}

template std::vector<RankBlock<double>> rank_blocks(const Target& target, const Range& columns);
template std::vector<RankBlock<float>> rank_blocks(const Target& target, const Range& columns);

}  // namespace strata::kronecker
