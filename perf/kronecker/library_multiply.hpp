// SPDX-License-Identifier: BSD-3-Clause
// Multiply y = C x by matrix products of a library, in published variants with which the own kernels are compared. With
// Y_I = sum_J sum_k B_k X_J A_k^T over blocks (I, J):
//
//     loops     for I, J, k: W = B_k X_J, Y_I += W A_k^T. N0 threads share the rows I, N1 threads the blocks of one row
//               (A. Hernandez et al., the DMRG++ miniapps, algorithm 1)
//     tasks     the same, one task per block, the largest ones first; products are added in order of J
//     batched   all W of all blocks in one batch, W_I = [W_1 | W_2 | ...]; then one product Y_I = W_I A_I^T per row
//               with the operators of the row stacked (equations 5 to 12 there)
//     fused     two products per block whatever K is: V = X_J A~^T with the operators interleaved, A~ (K l_I x l_J)
//               with rows k + K a; the same memory read as (K r_J) x l_I is stacked for Y_I += [B_1 | ... | B_K] V
//
// Results have the same bits for one back end, plan and number of threads only.
#pragma once

#include <cstdint>
#include <vector>

#include "gemm_library.hpp"
#include "library_layout.hpp"
#include "strata/buffer.hpp"

namespace strata::perf {

class LibraryMultiply {
  public:
    LibraryMultiply(LibraryVariant variant, std::vector<LibraryBlock> blocks, GemmBackend backend,
                    LibraryThreads threads);

    std::uint64_t operator_bytes() const { return layout_.operator_reals() * sizeof(double); }

    /// Fills the operators of a block: left(k, a, c) is A_k(a, c) with a counted from the first column that is
    /// computed, right(k, p, q) is B_k(p, q).
    template <class Left, class Right>
    void pack(std::size_t block, Left left, Right right);

    /// y = C x for the columns of the blocks.
    void multiply(const double* x, double* y);

  private:
    struct Products {
        Gemm first, second_sets, second_adds;
    };

    void plan_products(GemmBackend backend);
    const double* right(std::size_t block, std::uint64_t k) const;
    void product(std::size_t block, const double* x, double* w, double* y, GemmUpdate first) const;
    void row_of_loops(const Range& row, const double* x, double* y);
    void loops(const double* x, double* y);
    void tasks(const double* x, double* y);
    void batched(const double* x, double* y);
    void fused(const double* x, double* y);

    const LibraryVariant variant_;
    const LibraryThreads threads_;
    const LibraryLayout layout_;
    std::vector<Products> products_;  ///< [block]
    std::vector<Gemm> row_products_;  ///< [row] the second products of the batched variant
    Buffer<double> operators_, scratch_;
};

template <class Left, class Right>
void LibraryMultiply::pack(std::size_t block, Left left, Right right) {
    const LibraryBlock& b = layout_.blocks()[block];
    const LibraryLayout::Offsets& at = layout_.offsets()[block];
    for (std::uint64_t k = 0; k < b.operators; ++k) {
        for (std::uint64_t a = 0; a < b.columns; ++a)
            for (std::uint64_t c = 0; c < b.from.l; ++c)
                operators_[at.left + k * at.operator_stride + c + a * at.column_stride] = left(k, a, c);
        for (std::uint64_t q = 0; q < b.from.r; ++q)
            for (std::uint64_t p = 0; p < b.r; ++p)
                operators_[at.right + (k * b.from.r + q) * b.r + p] = right(k, p, q);
    }
}

}  // namespace strata::perf
