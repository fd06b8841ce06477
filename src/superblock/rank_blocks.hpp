// SPDX-License-Identifier: BSD-3-Clause
// The blocks of C that a rank multiplies by, and the positions of their operators in its pool. A rank that owns columns
// of both patches of a term stores the operators once for both directions if that needs no more memory than storing
// separately the rows of A that it needs forward and those that it needs backward.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/kronecker/block_layout.hpp"
#include "superblock/target.hpp"

namespace strata::superblock {

/// as_listed: a block is C_IJ of a term; transposed: it is C_JI, whose operators are transposed.
enum class Orientation { as_listed, transposed };

template <class Real>
struct RankBlock {
    std::size_t term = 0;
    Orientation orientation = Orientation::as_listed;
    std::size_t to = 0, from = 0;  ///< indices of patches: forward Y_to from X_from, backward Y_from from X_to
    BlockLayout<Real> layout;
    Range forward,
        backward;            ///< columns of Y_to and Y_from that this rank computes; the latter only in both directions
    std::uint64_t pool = 0;  ///< index of its operators in the pool, in reals

    double flops() const {
        return layout.shape().flops_forward(forward.size()) + layout.shape().flops_backward(backward.size());
    }
};

/// Blocks for some columns of the vector, in the order of terms: for every patch I this is the order of J, in which
/// products are added to Y_I.
template <class Real>
std::vector<RankBlock<Real>> rank_blocks(const Target& target, const Range& columns);

/// Reals of the pool of these blocks.
template <class Real>
std::uint64_t pool_reals(const std::vector<RankBlock<Real>>& blocks) {
    return blocks.empty() ? 0 : blocks.back().pool + blocks.back().layout.reals();
}

}  // namespace strata::superblock
