// SPDX-License-Identifier: BSD-3-Clause
// Layout and size of the operators and of the scratch memory of a multiply by products of a library
// (library_multiply.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/kronecker/block_layout.hpp"

namespace strata::perf {

using kronecker::PatchShape;

enum class LibraryVariant { loops, tasks, batched, fused };

/// Numbers of threads that share the rows (N0) and the blocks of one row (N1); only `loops` uses N1 above 1.
struct LibraryThreads {
    int rows = 1, blocks = 1;
};

/// Block that computes some columns of Y_I from X_J. Blocks of one row are consecutive, in order of J.
struct LibraryBlock {
    std::uint64_t row = 0;             ///< number of the row, counted from 0
    std::uint64_t r = 0, columns = 0;  ///< rows of Y_I, and number of its columns that are computed
    PatchShape from;                   ///< shape of X_J
    std::uint64_t operators = 1;       ///< K
    std::uint64_t x = 0, y = 0;        ///< index of X_J in x, and of the first column in y
};

class LibraryLayout {
  public:
    /// Positions in reals. A_k^T(c, a) is at left + k * operator_stride + c + a * column_stride; the B_k are stored one
    /// after another from `right` on.
    struct Offsets {
        std::uint64_t left = 0, right = 0, operator_stride = 0, column_stride = 0;
        std::uint64_t scratch = 0;  ///< tasks: product of the block; batched: its W
    };

    LibraryLayout(LibraryVariant variant, std::vector<LibraryBlock> blocks, LibraryThreads threads);

    const std::vector<LibraryBlock>& blocks() const { return blocks_; }
    const std::vector<Offsets>& offsets() const { return offsets_; }  ///< [block]
    const std::vector<Range>& rows() const { return rows_; }          ///< blocks of every row, the most work first
    const std::vector<std::size_t>& order() const { return order_; }  ///< blocks, the most work first
    /// Rows of the stacked operators of a row: sum of K l_J.
    std::uint64_t stacked(const Range& row) const;

    std::uint64_t operator_reals() const { return operator_reals_; }
    std::uint64_t scratch_reals() const;
    /// Position of the scratch memory of a thread: W (V if fused) of a block, then a private sum (loops).
    std::uint64_t scratch_of(int thread) const {
        return shared_scratch_ + static_cast<std::uint64_t>(thread) * (max_w_ + max_sum_);
    }
    std::uint64_t max_w() const { return max_w_; }

  private:
    void lay_out_operators(LibraryVariant variant);
    void lay_out_scratch(LibraryVariant variant);

    std::vector<LibraryBlock> blocks_;
    std::vector<Offsets> offsets_;
    std::vector<Range> rows_;
    std::vector<std::size_t> order_;
    int threads_;  ///< number of all threads
    std::uint64_t operator_reals_ = 0, shared_scratch_ = 0, max_w_ = 0, max_sum_ = 0;
};

}  // namespace strata::perf
