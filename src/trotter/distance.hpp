// SPDX-License-Identifier: BSD-3-Clause
// The 2-norm of the difference of two evolutions of the same states, read slab by slab as checkpoints read them, from any
// backend. Rows are summed one by one, and the rows of all ranks as all sums over states are (state_sums.hpp).
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
    /// All must outlive the object.
    StateDistance(const Communicator& comm, const TrotterPlan& plan, Timers& timers);

    void allocate();
    /// |a - b| of every state, on all ranks.
    std::vector<double> between(const DistributedArray& a, const DistributedArray& b);

  private:
    const Communicator& comm_;
    const TrotterPlan& plan_;
    Timers& timers_;
    Buffer<double> slab_[2];
};

}  // namespace strata::trotter
