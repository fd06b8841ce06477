// SPDX-License-Identifier: BSD-3-Clause
// Distribution and cost of a multiplication by a target, the same for all multiplications: columns of every rank,
// operations and memory. A density-matrix renormalization makes one for every superblock.
#pragma once

#include "strata/memory.hpp"
#include "superblock/partition.hpp"
#include "superblock/rank_blocks.hpp"

namespace strata::superblock {

class MultiplyPlan {
  public:
    /// `target` must outlive the object. Throws Error(bad_input) for more ranks than columns, or than patches if only
    /// these are distributed.
    MultiplyPlan(const Target& target, Partition partition, int ranks, int rank, int threads);

    const Target& target() const { return target_; }
    const PatchLayout& layout() const { return target_.layout; }
    const ColumnPartition& partition() const { return partition_; }
    int ranks() const { return partition_.ranks(); }
    int rank() const { return rank_; }
    int threads() const { return threads_; }
    /// Columns of this rank; below, elements of any rank and of this one.
    Range columns() const { return partition_.columns(rank_); }
    Range elements(int rank) const;
    Range elements() const { return elements(rank_); }

    /// Operations of one multiplication, summed over all ranks; an addition and a multiplication count as two.
    double flops() const { return flops_; }

    /// Host memory of a rank for operators and stored products. `in_place`: all patches that the rank reads are in
    /// memory of its node.
    template <class Real>
    MemoryPrediction multiply_memory(int rank, bool in_place) const;
    /// Memory of a rank for vectors: the working pair and `others`.
    template <class Real>
    MemoryPrediction vector_memory(int rank, std::uint64_t others) const;
    /// Bytes of patches that a rank gathers if they are not read in place.
    template <class Real>
    std::uint64_t gathered_bytes(int rank) const;
    /// pool_bytes(): operators of all ranks. full_bytes(): operators if one rank stored every direction of a block
    /// separately.
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

/// True if products of blocks are stored until they can be added in the order of patches. A single thread that has all
/// patches in place computes the products in that order and adds each immediately.
inline bool keeps_products(int threads, bool in_place) { return threads > 1 || !in_place; }

/// Reals of the workspace of a thread for these blocks, a multiple of 64.
template <class Real>
std::uint64_t workspace_of(const std::vector<RankBlock<Real>>& blocks);

}  // namespace strata::superblock
