// SPDX-License-Identifier: BSD-3-Clause
// A slice in host memory, and the view of it that the kernels borrow.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/swendsen_wang/slice_view.hpp"
#include "strata/buffer.hpp"
#include "strata/checkpoint.hpp"
#include "strata/timer.hpp"
#include "swendsen_wang/observation.hpp"
#include "swendsen_wang/slice.hpp"

namespace strata::swendsen_wang {

template <>
class Slice<Cpu> {
  public:
    /// Pages of spins and bonds are first touched by the threads that will sweep over them.
    explicit Slice(const SwendsenWangPlan& plan);

    void fill(Start start);
    DistributedArray spins() {
        const TileLattice& l = view_.lattice;
        return host_array(spin_shape(l), spin_rows(l), view_.spins + view_.word(0, 0), l.row_stride());
    }
    void restored();

    void begin(const Sweep& sweep, Timers& timers);
    void label(Timers& timers);
    void count(Observation& observation);
    void sum_sizes(Observation& observation);
    void flip(Timers& timers);
    void finish(Timers&) {}

    SliceView& view() { return view_; }
    std::uint64_t* sizes() { return sizes_.data(); }

  private:
    double phase_seconds(SlicePhase phase) const;

    const SweepKernels& kernels_;
    SliceView view_;
    std::vector<Buffer<std::uint64_t>> padded_;  ///< spins, then bonds along each axis
    Buffer<std::uint64_t> columns_;
    Buffer<std::uint8_t> codes_, flips_;
    Buffer<std::uint64_t> open_, closed_, coins_, sizes_;
    Buffer<std::uint32_t> bases_, parents_;
    std::vector<ThreadSlice> threads_;
    std::vector<Buffer<std::uint64_t>> row_words_;
    std::vector<Buffer<std::uint32_t>> pairs_;
};

}  // namespace strata::swendsen_wang
