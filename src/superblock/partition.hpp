// SPDX-License-Identifier: BSD-3-Clause
// Distribution of a vector over ranks with equal work in a multiplication. A rank owns a contiguous range of columns
// and computes all of Y there, so that no sum over ranks is needed. In ground states one patch has a third of the work;
// boundaries inside of patches are therefore allowed unless boundaries between patches balance as well.
#pragma once

#include <cstdint>
#include <vector>

#include "superblock/target.hpp"

namespace strata::superblock {

/// Positions at which the vector may be divided between ranks: between patches only (rows), or before any column.
enum class Partition { automatic, rows, columns };

/// [patch] floating-point operations of one column of Y = C X; a multiplication and an addition count as two.
std::vector<std::uint64_t> flops_of_columns(const Target& target);

/// [patch] cost of one column of Y, in operations: the operations of flops_of_columns() and the time for loading
/// elements and rows of A, which matters for small patches. The distribution balances these costs.
std::vector<std::uint64_t> costs_of_columns(const Target& target);

/// [patch] the other patches that terms connect it with, ascending.
std::vector<std::vector<std::size_t>> neighbours(const Target& target);

/// The contiguous range of columns of every rank.
class ColumnPartition {
  public:
    /// `partition` must not be automatic. A rank may get no columns.
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

/// Balance and communication of a multiplication with a partition.
struct PartitionCost {
    double imbalance = 1;            ///< largest cost of a rank over the mean
    double max_received = 0;         ///< largest number of elements of X that a rank reads from others
    double mean_received = 0;        ///< mean of that number over the ranks
    std::uint64_t max_elements = 0;  ///< largest number of elements that a rank owns
};
PartitionCost cost_of(const Target& target, const ColumnPartition& partition);

/// The patches that a rank with these columns reads: its own and their neighbours, ascending.
std::vector<std::size_t> patches_read(const Target& target, const Range& columns);

/// The requested kind of boundaries. If it is automatic: rows, which do not divide blocks, if they balance to 2 %, else
/// columns.
ColumnPartition choose_partition(const Target& target, Partition requested, int ranks);

}  // namespace strata::superblock
