// SPDX-License-Identifier: BSD-3-Clause
// Sums over a distributed array that do not depend on its distribution. The array consists of groups of blocks, and
// each rank owns a contiguous range of the blocks of every group. Each block contributes its own partial sums, and rank
// 0 adds them in the order of groups and blocks. The fixed order is needed because floating-point addition is not
// associative.
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

    /// The `width` partial sums of one of this rank's blocks, written by the caller; 0 at first.
    double* block(std::size_t group, std::uint64_t block) { return own_.data() + (first_[group] + block) * width_; }
    std::size_t width() const { return width_; }
    /// The `width` sums over all blocks, the same on all ranks. Collective.
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
