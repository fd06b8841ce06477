// SPDX-License-Identifier: BSD-3-Clause
// The memory of one rank's slice and the view that the kernels borrow.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/swendsen_wang/slice_view.hpp"
#include "strata/buffer.hpp"
#include "strata/checkpoint.hpp"
#include "swendsen_wang/plan.hpp"

namespace strata::swendsen_wang {

class Slice {
  public:
    /// Allocates; pages of spins and bonds are first touched by the threads that will sweep over them.
    explicit Slice(const SwendsenWangPlan& plan);

    SliceView& view() { return view_; }
    std::uint64_t* sizes() { return sizes_.data(); }
    /// Sum over threads of what label_slice spent in a phase, divided by the threads.
    double phase_seconds(SlicePhase phase) const;

    /// All spins up, or random ones keyed by seed and tile.
    void fill(Start start);
    /// Restores what follows from the spins: the copies beyond the end of each row.
    void wrap_rows();
    /// The spins as rows of tiles in global order.
    DistributedArray spins();

  private:
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
