// SPDX-License-Identifier: BSD-3-Clause
// Sums over a distributed array that do not depend on which rank holds which part of it. The array is cut into blocks,
// the blocks into groups, and each rank holds a contiguous range of the blocks of every group. Each block contributes
// its own partial sums, and rank 0 adds them in the order of groups and blocks. Summation in a fixed order is needed
// because floating-point addition is not associative.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "comm/communicator.hpp"
#include "comm/exchange.hpp"

namespace strata {

class OrderedSum {
  public:
    /// `blocks_of_ranks`: [rank][group] number of blocks; `width`: sums per block. `comm` must outlive the object.
    /// Nothing is allocated afterwards.
    OrderedSum(const Communicator& comm, std::vector<std::vector<std::uint64_t>> blocks_of_ranks, std::size_t width);
    OrderedSum(const OrderedSum&) = delete;

    /// Partial sums of one of this rank's blocks, to be written by the caller; zero at first.
    double* block(std::size_t group, std::uint64_t block) { return own_.data() + (first_[group] + block) * width_; }
    std::size_t width() const { return width_; }
    /// `width` sums, the same on all ranks. Collective.
    const std::vector<double>& total();

  private:
    const Communicator& comm_;
    std::vector<std::vector<std::uint64_t>> blocks_of_ranks_;  ///< [rank][group]
    std::size_t width_;
    std::vector<std::uint64_t> first_;  ///< [group] offset of its first block among this rank's blocks
    std::vector<double> own_, all_, total_;
    Exchange<Cpu> gather_;
};

}  // namespace strata
