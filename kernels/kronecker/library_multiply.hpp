// SPDX-License-Identifier: BSD-3-Clause
// The multiply y = C x by matrix products of a library, as it is written elsewhere; the own kernels are compared with it.
// With Y_I = sum_J sum_k B_k X_J A_k^T over blocks (I, J):
//
//     loops     for I, J, k: W = B_k X_J, Y_I += W A_k^T. N0 threads share the rows I, N1 threads the blocks of one row
//               (A. Hernandez et al., the DMRG++ miniapps, algorithm 1)
//     tasks     the same, one task per block, the largest ones first; products are added in order of J
//     batched   all W of all blocks in one batch, W_I = [W_1 | W_2 | ...]; then one product Y_I = W_I A_I^T per row with
//               the operators of the row stacked (equations 5 to 12 there)
//     fused     two products per block whatever K is: V = X_J A~^T with the operators interleaved, A~ (K l_I x l_J) with
//               rows k + K a; the same memory read as (K r_J) x l_I is stacked for Y_I += [B_1 | ... | B_K] V
//
// Results have the same bits for one back end, plan and number of threads only.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/kronecker/block_layout.hpp"
#include "kernels/kronecker/gemm_library.hpp"
#include "strata/buffer.hpp"

namespace strata::kronecker {

enum class LibraryVariant { loops, tasks, batched, fused };

/// Threads that share the rows (N0) and the blocks of one row (N1); only `loops` uses N1 above 1.
struct LibraryThreads {
    int rows = 1, blocks = 1;
};

/// Some columns of Y_I from X_J. Blocks of one row follow each other, in order of J.
struct LibraryBlock {
    std::uint64_t row = 0;             ///< number of the row, counted from 0
    std::uint64_t r = 0, columns = 0;  ///< rows of Y_I, and columns of it that are computed
    PatchShape from;                   ///< shape of X_J
    std::uint64_t operators = 1;       ///< K
    std::uint64_t x = 0, y = 0;        ///< reals of x before X_J, and of y before the columns
};

template <class Real>
class LibraryMultiply {
  public:
    LibraryMultiply(LibraryVariant variant, std::vector<LibraryBlock> blocks, GemmBackend backend,
                    LibraryThreads threads);

    /// Fills the operators of a block: left(k, a, c) is A_k(a, c) with a counted from the first column that is computed,
    /// right(k, p, q) is B_k(p, q).
    template <class Left, class Right>
    void pack(std::size_t block, Left left, Right right);

    /// y = C x for the columns of the blocks.
    void multiply(const Real* x, Real* y);

    /// Bytes of operators and of scratch memory.
    std::uint64_t operator_bytes() const { return operators_.bytes(); }
    std::uint64_t scratch_bytes() const { return scratch_.bytes(); }

  private:
    /// Where the operators of a block lie and its products. A_k^T(c, a) is at left + k * operator_stride + c + a *
    /// column_stride; the B_k follow each other at `right`.
    struct Planned {
        std::uint64_t left = 0, right = 0, operator_stride = 0, column_stride = 0;
        std::uint64_t scratch = 0;  ///< tasks: the product of the block; batched: its W
        Gemm<Real> first, second_sets, second_adds;
    };

    void place_operators();
    void place_scratch();
    void plan_products(GemmBackend backend);
    double work(const LibraryBlock& block) const;
    std::uint64_t contracted(const Range& row) const;
    void product(std::size_t block, const Real* x, Real* w, Real* y, GemmUpdate first) const;
    void row_of_loops(const Range& row, const Real* x, Real* y);
    void loops(const Real* x, Real* y);
    void tasks(const Real* x, Real* y);
    void batched(const Real* x, Real* y);
    void fused(const Real* x, Real* y);
    Real* of_thread(int thread) { return scratch_.data() + shared_scratch_ + std::uint64_t(thread) * thread_scratch_; }

    LibraryVariant variant_;
    std::vector<LibraryBlock> blocks_;
    LibraryThreads threads_;
    std::vector<Range> rows_;         ///< blocks of every row, the row with the most work first
    std::vector<std::size_t> order_;  ///< blocks, those with the most work first
    std::vector<Planned> planned_;
    std::vector<Gemm<Real>> row_products_;  ///< the second products of the batched variant
    std::uint64_t max_w_ = 0;               ///< reals of the largest W (V if fused) of a block
    std::uint64_t thread_scratch_ = 0, shared_scratch_ = 0;
    Buffer<Real> operators_, scratch_;
};

template <class Real>
template <class Left, class Right>
void LibraryMultiply<Real>::pack(std::size_t block, Left left, Right right) {
    const LibraryBlock& b = blocks_[block];
    const Planned& at = planned_[block];
    for (std::uint64_t k = 0; k < b.operators; ++k) {
        for (std::uint64_t a = 0; a < b.columns; ++a)
            for (std::uint64_t c = 0; c < b.from.l; ++c)
                operators_[at.left + k * at.operator_stride + c + a * at.column_stride] =
                    static_cast<Real>(left(k, a, c));
        for (std::uint64_t q = 0; q < b.from.r; ++q)
            for (std::uint64_t p = 0; p < b.r; ++p)
                operators_[at.right + (k * b.from.r + q) * b.r + p] = static_cast<Real>(right(k, p, q));
    }
}

}  // namespace strata::kronecker
