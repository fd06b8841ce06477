// SPDX-License-Identifier: BSD-3-Clause
// A slab in host memory, and the view of it that the kernels use.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/swendsen_wang/slab_view.hpp"
#include "kernels/swendsen_wang/sweep_kernels.hpp"
#include "kernels/swendsen_wang/wolff.hpp"
#include "strata/buffer.hpp"
#include "strata/checkpoint.hpp"
#include "strata/timer.hpp"
#include "swendsen_wang/state/observation.hpp"
#include "swendsen_wang/state/slab.hpp"

namespace strata::swendsen_wang {

template <>
class Slab<Cpu> {
  public:
    /// Pages of spins and bonds are first written by the threads that will process them.
    explicit Slab(const SwendsenWangPlan& plan);

    void fill(const FirstSpins& first);
    std::vector<DistributedArray> state();
    /// Updates the copies of periodic neighbours after the spins were written from outside.
    void restored();

    // the phases of a sweep (slab.hpp)
    void begin(const Sweep& sweep, Timers&) { view_.sweep = sweep; }
    void update_colour(const MetropolisTable& table, int colour, Timers& timers);
    void draw_and_label(Timers& timers);
    void count_spins(Observation& observation, Timers& timers);
    void count_spins_and_planes(Observation& observation, Timers& timers);
    void count(Observation& observation);
    void accumulate_moments(Observation& observation);
    void flip(Timers& timers);
    /// Changes cluster `number` of a slab that is the whole lattice, after begin(). Returns the number of its sites.
    std::uint64_t change_one_cluster(std::uint64_t number) {
        view_.sweep.index = number;
        return swendsen_wang::change_one_cluster(view_, growth_);
    }
    void finish(Timers&) {}

    SlabView& view() { return view_; }
    /// [id] sites of the cluster, stored at the root in this slab; valid after count().
    std::uint64_t* sizes() { return sizes_.data(); }

  private:
    void allocate_threads(const SwendsenWangPlan& plan);
    void allocate_spins_and_bonds(const SwendsenWangPlan& plan);
    void allocate_labels();
    void allocate_growth();
    std::uint64_t phase_ticks(LabellingPhase phase) const;
    void add_spins(Observation& observation) const;

    const SweepKernels& kernels_;
    SlabView view_;
    std::vector<ThreadPart> threads_;               ///< [thread] array that view_.threads points to
    std::vector<Buffer<std::uint64_t>> row_words_;  ///< [thread] scratch rows of words
    std::vector<Buffer<std::uint32_t>> pairs_;      ///< [2 * thread], [2 * thread + 1] staged pairs of ids
    std::vector<Buffer<std::uint64_t>> padded_;     ///< spins (each digit), bonds along each axis, new spins
    Buffer<std::uint64_t> columns_;                 ///< rows column_sites, column_last, column_shift of view_
    // arrays of the labelling, referenced by view_
    Buffer<std::uint8_t> components_, cluster_spins_;
    Buffer<std::uint64_t> boundary_minima_, interior_minima_, interior_spins_[max_state_bits], sizes_;
    Buffer<std::uint32_t> first_ids_, parents_;
    // single clusters
    ClusterGrowth growth_;
    Buffer<ClusterTile> growing_;
    Buffer<std::uint32_t> reached_, waiting_;
};

}  // namespace strata::swendsen_wang
