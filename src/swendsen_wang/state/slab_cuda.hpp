// SPDX-License-Identifier: BSD-3-Clause
// A slab in the memory of a device. Phases are queued; the host waits only for observations, borders and copies of the
// state.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/swendsen_wang/device_sweep.hpp"
#include "strata/checkpoint.hpp"
#include "strata/event_timers.hpp"
#include "swendsen_wang/state/observation.hpp"
#include "swendsen_wang/state/slab.hpp"

namespace strata::swendsen_wang {

template <>
class Slab<Cuda> {
  public:
    explicit Slab(const SwendsenWangPlan& plan);

    void fill(const FirstSpins& first);
    std::vector<DistributedArray> state();
    void restored() {}

    void begin(const Sweep& sweep, Timers& timers);
    void update_colour(const MetropolisTable& table, int colour, Timers& timers);
    void draw_and_label(Timers& timers);
    void count_spins(Observation& observation, Timers& timers);
    void count_spins_and_planes(Observation& observation, Timers& timers);
    void count(Observation& observation);
    void accumulate_moments(Observation& observation);
    void flip(Timers& timers);
    void finish(Timers& timers);

    const DeviceSlab& view() const { return view_; }
    const Queue<Cuda>& queue() const { return queue_; }

  private:
    void set_geometry();
    void allocate_spins_and_bonds(bool metropolis);
    void allocate_labels();
    void allocate_observation();
    DistributedArray spins(int bit);
    /// Digit `bit` of the spins, without halo rows.
    View<std::uint64_t, Cuda> own_spins(int bit) const {
        return view_.spins[bit].part(view_.word(0, 0), lattice_.slab_tiles());
    }
    void copy_counts();
    /// Waits for all queued work and checks the numbers of ids.
    void wait();
    /// Throws Error(internal) if a sweep had more boundary components than ids.
    void check_ids(const Buffer<std::uint64_t, Pinned>& counts) const;
    void count_planes();
    void add_planes(Observation& observation) const;
    void count_states();

    const DeviceSweepKernels& kernels_;
    TileLattice lattice_;
    bool alone_;  ///< true if there is no other slab to wait for the phases of this one
    Queue<Cuda> queue_;
    EventTimers event_timers_;  ///< durations of the phases on the device
    DeviceSlab view_;
    Buffer<DeviceTileRow, Cuda> tile_rows_;
    // arrays referenced by view_
    Buffer<std::uint64_t, Cuda> spins_[max_state_bits], next_spins_, bonds_[3], components_, sizes_, counts_;
    Buffer<std::uint64_t, Cuda> interior_flips_[max_state_bits], boundary_spins_[max_state_bits];
    Buffer<std::uint64_t, Cuda> states_;  ///< sites in each state of the Potts model
    Buffer<std::uint32_t, Cuda> id_ranges_, group_first_ids_, parents_;
    Buffer<std::uint8_t, Cuda> cluster_spins_;
    Buffer<ClusterMoments, Cuda> moments_;  ///< [warp] partial sums of moments
    Buffer<ClusterMoments, Pinned> host_moments_;
    Buffer<std::uint64_t, Cuda> planes_;     ///< up spins by coordinate, one axis after another
    View<std::uint64_t, Cuda> plane_of_[3];  ///< [axis] its part of planes_
    Buffer<std::uint64_t, Pinned> host_planes_, host_states_;
    Buffer<std::uint64_t, Pinned> host_counts_[2];  ///< copies of the counts of the last two sweeps
};

}  // namespace strata::swendsen_wang
