// SPDX-License-Identifier: BSD-3-Clause
// Sums over a whole vector that do not depend on who holds which part: every block of 16 rows gives its numbers, and
// rank 0 adds them in the order of products and blocks.
#pragma once

#include <vector>

#include "comm/communicator.hpp"
#include "comm/exchange.hpp"
#include "lanczos/sector.hpp"

namespace strata::lanczos {

class BlockSum {
  public:
    /// `width` numbers per block. `comm` must outlive it. No allocation after this.
    BlockSum(const Communicator& comm, const Sector& sector, std::size_t width);
    BlockSum(const BlockSum&) = delete;

    /// Numbers of this rank's blocks, product by product, to be written by the caller: zero at first.
    double* block(std::size_t product, std::uint64_t block) { return own_.data() + (first_[product] + block) * width_; }
    std::size_t width() const { return width_; }
    /// `width` sums, the same on all ranks. Collective.
    const std::vector<double>& total();

  private:
    const Communicator& comm_;
    std::size_t width_;
    std::vector<std::uint64_t> first_;                 ///< [product] block of this rank
    std::vector<std::vector<std::uint64_t>> of_rank_;  ///< [rank][product] blocks
    std::vector<double> own_, all_, total_;
    Exchange<Cpu> gather_;
};

}  // namespace strata::lanczos
