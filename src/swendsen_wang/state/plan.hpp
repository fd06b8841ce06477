// SPDX-License-Identifier: BSD-3-Clause
// The plan of one rank before anything large is allocated: its slab, the parts of its threads, its memory, and its
// schedule. It is computed without communication, so that `strata plan` can make the plans of ranks that do not exist.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "kernels/swendsen_wang/sweep_kernels.hpp"
#include "kernels/swendsen_wang/tile_lattice.hpp"
#include "strata/backend.hpp"
#include "strata/memory.hpp"
#include "strata/partition.hpp"
#include "swendsen_wang/job/config.hpp"

namespace strata::swendsen_wang {

/// Groups of consecutive ranks that share the replicas of a run; without parallel tempering there is one replica and one group.
/// The number of groups, at most one for each replica, is the one with the least time per sweep: the ranks of a group
/// divide the lattice of each of its replicas into slabs, of which there are at most `most_ranks`. Groups differ by one rank
/// where their number does not divide the ranks, unless they must be `equal` to have the same slabs. No groups: there are none
/// for this number of ranks.
struct ReplicaGroups {
    enum class Sizes { any, equal };
    ReplicaGroups(std::uint64_t all_replicas, int all_ranks, std::uint64_t most_ranks, Sizes sizes = Sizes::any);

    int of(int rank) const {
        return static_cast<int>(part_of(static_cast<std::uint64_t>(all_ranks), static_cast<std::uint64_t>(groups),
                                        static_cast<std::uint64_t>(rank)));
    }
    Range ranks_of(int group) const {
        return equal_part(static_cast<std::uint64_t>(all_ranks), static_cast<std::uint64_t>(groups),
                          static_cast<std::uint64_t>(group));
    }
    Range replicas_of(int group) const {
        return equal_part(replicas, static_cast<std::uint64_t>(groups), static_cast<std::uint64_t>(group));
    }
    std::uint64_t most_replicas() const { return replicas_of(0).size(); }

    std::uint64_t replicas;
    int all_ranks;
    int groups = 0;
};

class SwendsenWangPlan {
  public:
    /// Throws Error(bad_input) if there are more ranks than tile layers of all replicas, and Error(does_not_fit) if a slab needs more
    /// than 2^32 - 1 labels; both errors name possible numbers of ranks.
    SwendsenWangPlan(const SwendsenWangConfig& config, int ranks, int rank, int threads,
                     BackendKind backend = BackendKind::cpu);

    const SwendsenWangConfig& config() const { return config_; }
    const TileLattice& lattice() const { return lattice_; }
    const SweepKernels& kernels() const { return *kernels_; }
    const ReplicaGroups& groups() const { return groups_; }
    /// Ranks that share the lattice.
    int ranks() const { return static_cast<int>(own_ranks_.size()); }
    /// Changes the temperature of this replica.
    void set_beta(double beta) { config_.beta = beta; }
    /// Number of threads of the sweep; 1 for a device.
    int threads() const { return threads_; }
    BackendKind backend() const { return backend_; }
    /// Maximum number of boundary components of the slab.
    std::uint64_t id_capacity() const { return id_capacity_; }
    /// Reduces the memory for ids below what a sweep can need, for tests of the overflow.
    void limit_ids(std::uint64_t ids) { id_capacity_ = ids; }
    /// Local tile rows of a thread: whole tile layers.
    Range thread_rows(int thread) const;
    /// Part of id_capacity() that belongs to a thread.
    std::uint64_t thread_ids(int thread) const;
    /// Protocol that resolves the labels of border clusters.
    LabelProtocol label_protocol() const;
    /// Number of 64-bit words sent to one neighbour per sweep: one bit per border site.
    std::uint64_t halo_words() const;
    /// Number of sites on the border to one neighbour, including those of partial tiles beyond the extents.
    std::uint64_t border_sites() const;
    /// Number of words of an array in host memory with halo rows, and guard words at both ends.
    std::uint64_t padded_words() const { return lattice_.stored_rows() * lattice_.row_stride() + 16; }
    /// Number of words from the start of such an array to tile row 0, tile 0.
    std::uint64_t origin() const { return lattice_.rows_per_layer() * lattice_.row_stride() + 8; }

    MemoryPrediction memory() const;
    std::vector<std::string> description() const;

    std::uint64_t total_steps() const { return config_.thermalization + config_.sweeps; }
    /// Whether a run with a target error may end after so many steps: at 100 observations and each time that a quarter
    /// more have been made.
    bool may_end(std::uint64_t steps) const;
    /// True if step `step`, counted from 0, is observed.
    bool observes(std::uint64_t step) const;
    /// Number of observed steps of the whole run.
    std::uint64_t observations() const;
    /// Rows of the series: one for each temperature and observation.
    std::uint64_t rows() const { return observations() * std::max<std::uint64_t>(1, config_.betas.size()); }

  private:
    /// Arrays of one bit per site that hold the spins.
    std::uint64_t spin_arrays() const { return static_cast<std::uint64_t>(config_.state_bits()); }
    /// Memory of one replica.
    MemoryPrediction host_memory() const;
    MemoryPrediction device_memory() const;

    SwendsenWangConfig config_;
    ReplicaGroups groups_;
    Range own_ranks_;  ///< of this rank's group
    TileLattice lattice_;
    const SweepKernels* kernels_;
    int threads_;
    BackendKind backend_;
    std::uint64_t id_capacity_;
};

}  // namespace strata::swendsen_wang
