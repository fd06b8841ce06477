// SPDX-License-Identifier: BSD-3-Clause
// The blocks of C that a rank multiplies by and where their operators lie in its pool. A rank that owns columns of both
// patches of a term may store the operators once for both directions; it does so where that takes less memory than the
// rows of A that it needs forward and those that it needs backward.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/kronecker/block_layout.hpp"
#include "kronecker/target.hpp"

namespace strata::kronecker {

/// Whether a block is C_IJ of a term, or C_JI, whose operators are the transposed ones.
enum class Orientation { as_listed, transposed };

template <class Real>
struct RankBlock {
    std::size_t term = 0;
    Orientation orientation = Orientation::as_listed;
    std::size_t to = 0, from = 0;  ///< patches: forward Y_to from X_from, backward Y_from from X_to
    BlockLayout<Real> layout;
    Range forward,
        backward;            ///< columns of Y_to and Y_from that this rank computes; the latter only in both directions
    std::uint64_t pool = 0;  ///< reals of the pool before it

    double flops() const {
        return layout.shape().flops_forward(forward.size()) + layout.shape().flops_backward(backward.size());
    }
};

/// Blocks for some columns of the vector, in the order of terms: for every patch I they contribute to Y_I in the order of
/// J.
template <class Real>
std::vector<RankBlock<Real>> rank_blocks(const Target& target, const Range& columns);

/// Reals of the pool of blocks.
template <class Real>
std::uint64_t pool_reals(const std::vector<RankBlock<Real>>& blocks) {
    return blocks.empty() ? 0 : blocks.back().pool + blocks.back().layout.reals();
}

}  // namespace strata::kronecker
