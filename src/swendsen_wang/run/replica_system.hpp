// SPDX-License-Identifier: BSD-3-Clause
// A replica of the lattice in parallel tempering: a slab with the borders to others, or one of several side by side.
#pragma once

#include "strata/application.hpp"
#include "swendsen_wang/state/observation.hpp"

namespace strata::swendsen_wang {

class ReplicaSystem : public Application {
  public:
    /// Sets the temperature from the next sweep on.
    virtual void set_beta(double beta) = 0;
    /// Satisfied bonds and up spins of this rank's part of the lattice before sweep `step`. Collective.
    virtual SpinCounts count_spins(std::uint64_t step) = 0;
    /// Sites in all clusters of the last observation; on rank 0.
    virtual std::uint64_t sites_in_clusters() const = 0;
    /// Adds the times of all phases so far to `timers` and forgets them.
    void move_times(Timers& timers) { timers.take(timers_); }
};

}  // namespace strata::swendsen_wang
