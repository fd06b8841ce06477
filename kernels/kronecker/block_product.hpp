// SPDX-License-Identifier: BSD-3-Clause
// Product of one block with a patch vector, in the two directions:
//
//     forward    Y_I (r_I x l_I) = sum_k B_k   X_J A_k^T       columns a of Y_I, a range of the stored rows of A
//     backward   Y_J (r_J x l_J) = sum_k B_k^T X_I A_k         columns c of Y_J, any range
//
// Every element is two chains of fused multiply-adds with one accumulator from zero each, whatever K, the shapes, the
// range of columns and the instruction set: first V[a, k, q] = sum_c A_k(a, c) X_J(q, c) in the order of c, then
// Y_I(p, a) = sum_(q,k) B_k(p, q) V[a, k, q], q outer and k inner. The backward product does the same with transposed
// operators. Results therefore have the same bits whether one rank stores a block for both directions or two ranks
// store it once each, and whichever rank computes a column. A caller adds the products of the blocks of a row in a
// fixed order.
//
// Operations: BlockShape::flops_*. Bytes: the left operators are read once (forward) from memory, the rest from caches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "kernels/kronecker/block_layout.hpp"
#include "kernels/kronecker/gemm_shape.hpp"
#include "kernels/kronecker/workspace.hpp"

namespace strata::kronecker {

/// Memory, read by later products, that a product prefetches into the second-level cache at a constant rate while it
/// computes; empty: no prefetch.
struct Prefetch {
    const void* first = nullptr;
    std::uint64_t bytes = 0;
};

/// Whether y is set to the product or increased by it (the product is summed from zero first in either case).
enum class Update { set, add };

template <class Real>
struct BlockProduct {
    BlockLayout<Real> layout;
    const Real* pool = nullptr;  ///< layout.reals() reals, aligned to 64 bytes
    const Real* x = nullptr;     ///< the whole patch: X_J forward, X_I backward
    Range columns;               ///< columns of the result; forward: within layout.own()
    Real* y = nullptr;           ///< first element of column columns.first; column stride r_I (backward: r_J)
    Update update = Update::set;
    Real* workspace = nullptr;  ///< workspace_reals(layout) reals of this thread, aligned to 64 bytes
    Prefetch prefetch;
    /// Bytes of the second-level cache. Operators of fewer bytes remain there between the forward and the backward
    /// product; larger blocks are prefetched again. Results do not depend on it.
    std::uint64_t second_cache = std::uint64_t{1} << 20;
};

/// Kernels of one instruction set.
template <class Real>
struct BlockKernels {
    std::string_view name;
    void (*forward)(const BlockProduct<Real>&);
    void (*backward)(const BlockProduct<Real>&);  ///< needs Directions::both
    /// Plain matrix product of matrices that are not packed.
    void (*gemm)(const GemmShape&, const Real* a, const Real* b, Real* c);
};

/// Variants that this processor can run, the fastest first; the last one is "portable". All give the same bits.
template <class Real>
const std::vector<BlockKernels<Real>>& block_variants();

}  // namespace strata::kronecker
