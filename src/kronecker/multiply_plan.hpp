// SPDX-License-Identifier: BSD-3-Clause
// What does not change while a vector is multiplied by a target again and again: which columns every rank owns and what
// that takes. Made anew for every superblock of a density-matrix renormalization.
#pragma once

#include "kronecker/partition.hpp"
#include "kronecker/rank_blocks.hpp"
#include "strata/memory.hpp"

namespace strata::kronecker {

class MultiplyPlan {
  public:
    /// `target` must outlive it. Throws Error(bad_input) for more ranks than there are columns, or patches where they are
    /// not cut.
    MultiplyPlan(const Target& target, Partition partition, int ranks, int rank, int threads);

    const Target& target() const { return target_; }
    const PatchLayout& layout() const { return target_.layout; }
    const ColumnPartition& partition() const { return partition_; }
    int ranks() const { return partition_.ranks(); }
    int rank() const { return rank_; }
    int threads() const { return threads_; }
    /// Of this rank.
    Range columns() const { return partition_.columns(rank_); }
    Range elements(int rank) const;
    Range elements() const { return elements(rank_); }

    /// Of one multiplication, over all ranks; an addition and a multiplication counted as two.
    double flops() const { return flops_; }

    /// Host memory of a rank for operators and their products. `in_place`: all patches that it reads are in memory of its
    /// node.
    template <class Real>
    MemoryPrediction multiply_memory(int rank, bool in_place) const;
    /// For vectors: the working pair and `others`.
    template <class Real>
    MemoryPrediction vector_memory(int rank, std::uint64_t others) const;
    /// Bytes of patches that a rank gathers where they are not in place.
    template <class Real>
    std::uint64_t gathered_bytes(int rank) const;
    /// Bytes of the pools of all ranks, and of a single pool without any block stored for both directions.
    template <class Real>
    std::uint64_t pool_bytes() const;
    template <class Real>
    std::uint64_t full_bytes() const;

  private:
    const Target& target_;
    ColumnPartition partition_;
    int rank_, threads_;
    double flops_ = 0;
};

/// Whether products of blocks are kept apart until they are added in the order of patches. One thread that reads all
/// patches at once computes them in that order anyway.
inline bool keeps_products(int threads, bool in_place) { return threads > 1 || !in_place; }

/// Sums of one multiplication, per column.
inline constexpr std::size_t step_sums = 3;
/// Elements of all vectors of a basis that a thread rotates at a time.
inline constexpr std::uint64_t rotated_elements = 256;
/// Reals of the workspace of a thread for these blocks, in whole cache lines.
template <class Real>
std::uint64_t workspace_of(const std::vector<RankBlock<Real>>& blocks);

}  // namespace strata::kronecker
