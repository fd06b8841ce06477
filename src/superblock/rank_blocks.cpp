// SPDX-License-Identifier: BSD-3-Clause
// Every block is stored for the columns that the rank owns. Whether one block serves both directions follows from the
// sizes of the layouts alone.
#include "superblock/rank_blocks.hpp"

namespace strata::superblock {
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

/// A block for both directions. If k is the vector index of backward products (by_operators), `there` is the forward
/// direction; otherwise forward products are faster, and the direction with more operations is the forward one.
template <class Real>
RankBlock<Real> two_ways(const RankBlock<Real>& there, const RankBlock<Real>& back) {
    const bool by_operators = there.layout.row_stride() % BlockLayout<Real>::vector == 0;
    const bool swapped = !by_operators && there.flops() < back.flops();
    RankBlock<Real> both = swapped ? back : there;
    both.layout = BlockLayout<Real>(both.layout.shape(), Directions::both);
    both.backward = swapped ? there.forward : back.forward;
    return both;
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
            const RankBlock<Real> both = two_ways(there, back);
            if (both.layout.reals() <= there.layout.reals() + back.layout.reals()) {
                add(both);
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

}  // namespace strata::superblock
