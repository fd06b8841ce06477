// SPDX-License-Identifier: BSD-3-Clause
// A slice in the memory of a device. Phases are queued; the host waits for observations, borders and states only.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/swendsen_wang/device_sweep.hpp"
#include "strata/checkpoint.hpp"
#include "strata/event_timers.hpp"
#include "swendsen_wang/observation.hpp"
#include "swendsen_wang/slice.hpp"

namespace strata::swendsen_wang {

template <>
class Slice<Cuda> {
  public:
    explicit Slice(const SwendsenWangPlan& plan);

    void fill(Start start);
    /// In host memory: a copy, made now.
    DistributedArray spins();
    void restored() {}

    void begin(const Sweep& sweep, Timers& timers);
    void label(Timers& timers);
    void count(Observation& observation);
    void sum_sizes(Observation& observation);
    void flip(Timers& timers);
    void finish(Timers& timers);

    const DeviceSlice& view() const { return view_; }
    const Queue<Cuda>& queue() const { return queue_; }

  private:
    /// Without halo rows.
    View<std::uint64_t, Cuda> own_spins() const { return view_.spins.part(view_.word(0, 0), lattice_.slice_tiles()); }
    void wait();
    void check_ids(const Buffer<std::uint64_t, Pinned>& counts) const;
    std::span<std::uint64_t> count_planes();

    const DeviceSweepKernels& kernels_;
    TileLattice lattice_;
    bool alone_;  ///< no other slice waits for this one's phases
    Queue<Cuda> queue_;
    EventTimers laps_;
    DeviceSlice view_;
    Buffer<DeviceRow, Cuda> rows_;
    Buffer<std::uint64_t, Cuda> spins_, bonds_[3], codes_, closed_flips_, open_coins_, sizes_, counts_, planes_;
    Buffer<std::uint32_t, Cuda> open_, group_bases_, parents_;
    Buffer<std::uint8_t, Cuda> coins_;
    Buffer<ClusterSums, Cuda> sums_;
    View<std::uint64_t, Cuda> plane_of_[3];  ///< [axis] part of planes_
    Buffer<std::uint64_t, Pinned> host_counts_[2], host_planes_;
    Buffer<ClusterSums, Pinned> host_sums_;
};

}  // namespace strata::swendsen_wang
