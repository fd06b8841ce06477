// SPDX-License-Identifier: BSD-3-Clause
// Cuts a vector between ranks so that the work of a multiplication is equal. A rank owns a contiguous range of columns
// and computes all of Y there, so that nothing is summed over ranks. In ground states one patch holds a third of the
// work; cuts are therefore allowed inside of patches unless those between patches balance as well.
#pragma once

#include <cstdint>
#include <vector>

#include "kronecker/config.hpp"
#include "kronecker/target.hpp"

namespace strata::kronecker {

/// [patch] floating-point operations of one column of Y = C X, a multiplication and an addition counted as two.
std::vector<std::uint64_t> flops_of_columns(const Target& target);

/// [patch] what a column of Y costs, in operations: beside those of flops_of_columns, every row of A has to be
/// fetched and begun, which counts where patches are small. Cuts balance these costs.
std::vector<std::uint64_t> costs_of_columns(const Target& target);

/// [patch] other patches that it is connected with, ascending.
std::vector<std::vector<std::size_t>> neighbours(const Target& target);

/// The range of columns of every rank.
class ColumnPartition {
  public:
    /// `partition` must not be automatic. Ranks may be left without columns.
    ColumnPartition(const PatchLayout& layout, const std::vector<std::uint64_t>& column_costs, Partition partition,
                    int ranks);

    int ranks() const { return static_cast<int>(boundaries_.size()) - 1; }
    Range columns(int rank) const {
        const auto r = static_cast<std::size_t>(rank);
        return {boundaries_[r], boundaries_[r + 1]};
    }
    Partition kind() const { return kind_; }

  private:
    Partition kind_;
    std::vector<std::uint64_t> boundaries_;
};

/// What a partition means for a multiplication, over all ranks.
struct PartitionCost {
    double imbalance = 1;            ///< cost of the busiest rank over the mean
    double max_received = 0;         ///< elements of X that a rank needs from others, the most
    double mean_received = 0;        ///< and their mean
    std::uint64_t max_elements = 0;  ///< elements of the vector that a rank owns, the most
};
PartitionCost cost_of(const Target& target, const ColumnPartition& partition);

/// The patches that a rank reads: its own and their neighbours, ascending.
std::vector<std::size_t> patches_read(const Target& target, const Range& columns);

/// Rows where they balance to a few percent, which keeps blocks whole, else columns.
ColumnPartition choose_partition(const Target& target, Partition requested, int ranks);

}  // namespace strata::kronecker
