// SPDX-License-Identifier: BSD-3-Clause
// What a rank will do, before anything large is allocated: its slice, its threads' parts, its memory, and the schedule
// of scan points. Pure arithmetic: `strata plan` makes one for ranks that do not exist.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/swendsen_wang/sweep_kernels.hpp"
#include "kernels/swendsen_wang/tile_lattice.hpp"
#include "strata/backend.hpp"
#include "strata/memory.hpp"
#include "swendsen_wang/config.hpp"

namespace strata::swendsen_wang {

/// Where a step stands in the run: which scan point, and which sweep of that point.
struct Moment {
    std::size_t point = 0;
    std::uint64_t sweep = 0;  ///< from 0, thermalization included
};

class SwendsenWangPlan {
  public:
    /// Throws Error(bad_input) if there are more ranks than tile layers, Error(does_not_fit) if a slice needs more
    /// than 2^32 - 1 labels: both say which numbers of ranks would do.
    SwendsenWangPlan(const SwendsenWangConfig& config, int ranks, int rank, int threads,
                     BackendKind backend = BackendKind::cpu);

    const SwendsenWangConfig& config() const { return config_; }
    const TileLattice& lattice() const { return lattice_; }
    const SweepKernels& kernels() const { return *kernels_; }
    int ranks() const { return ranks_; }
    /// That sweep; on a device the host has one.
    int threads() const { return threads_; }
    BackendKind backend() const { return backend_; }
    std::uint64_t id_capacity() const { return id_capacity_; }  ///< open components that the slice can number
    /// Sets less memory aside than could be needed, to see what happens then.
    void limit_ids(std::uint64_t ids) { id_capacity_ = ids; }
    /// Tile rows of a thread: whole layers.
    Range thread_rows(int thread) const;
    std::uint64_t thread_ids(int thread) const;  ///< of id_capacity()
    MergeProtocol merge() const;
    /// Words that travel to one neighbour per sweep: one bit per site of a border.
    std::uint64_t halo_words() const;
    /// Sites on the border to one neighbour, those beyond the edge of partial tiles included.
    std::uint64_t border_sites() const;
    /// Words of an array with halo rows and guard words on both ends.
    std::uint64_t padded_words() const { return lattice_.stored_rows() * lattice_.row_stride() + 16; }
    /// From the start of such an array to row 0, tile 0.
    std::uint64_t origin() const { return lattice_.rows_per_layer() * lattice_.row_stride() + 8; }

    MemoryPrediction memory() const;
    std::vector<std::string> description() const;

    std::uint64_t steps_per_point() const { return config_.thermalization + config_.sweeps; }
    std::uint64_t total_steps() const { return steps_per_point() * config_.betas.size(); }
    Moment moment(std::uint64_t step) const { return {step / steps_per_point(), step % steps_per_point()}; }
    bool observes(std::uint64_t step) const;
    std::uint64_t observations_per_point() const;

  private:
    MemoryPrediction host_memory() const;
    MemoryPrediction device_memory() const;

    SwendsenWangConfig config_;
    TileLattice lattice_;
    const SweepKernels* kernels_;
    int ranks_, threads_;
    BackendKind backend_;
    std::uint64_t id_capacity_;
};

/// An aligned pair is bonded if a uniform 64-bit number is below this: p = 1 - exp(-2 K), K = beta J.
struct BondProbability {
    std::uint64_t threshold = 0;
    bool always = false;
};
BondProbability bond_probability(double reduced_coupling);

}  // namespace strata::swendsen_wang
