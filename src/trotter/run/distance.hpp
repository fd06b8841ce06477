// SPDX-License-Identifier: BSD-3-Clause
// 2-norm of the difference of two evolutions of the same states, for any backend: amplitudes are read slab by slab
// through the arrays of a checkpoint. Every row is summed by itself; sums of rows and ranks are joined as in
// state_sums.hpp.
#pragma once

#include <vector>

#include "comm/communicator.hpp"
#include "strata/buffer.hpp"
#include "strata/checkpoint.hpp"
#include "strata/timer.hpp"

namespace strata::trotter {

class TrotterPlan;

class StateDistance {
  public:
    /// `comm`, `plan` and `timers` must outlive the object.
    StateDistance(const Communicator& comm, const TrotterPlan& plan, Timers& timers);

    void allocate();
    /// Distances |a - b|, [state], the same on all ranks. Collective.
    std::vector<double> between(const DistributedArray& a, const DistributedArray& b);

  private:
    const Communicator& comm_;
    const TrotterPlan& plan_;
    Timers& timers_;
    Buffer<double> slab_[2];
};

}  // namespace strata::trotter
