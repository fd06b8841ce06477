// SPDX-License-Identifier: BSD-3-Clause
// Order of steps in a run. A batch of samples (`round`) is the set of states that evolve at once, from time 0 to their
// end, in an echo forward and backward; batches follow one another until all samples are done.
//
//   step of the run    0 1 2 ... n-1 | n ... 2n-1 |  2n ...         (run.steps = n, run.echo = yes)
//                      forward         backward      next batch
#pragma once

#include <cstdint>
#include <vector>

#include "trotter/job/config.hpp"
#include "trotter/physics/drive.hpp"

namespace strata::trotter {

class Schedule {
  public:
    /// Throws Error(bad_input) for times of observation that are no multiples of run.step or lie beyond the end.
    explicit Schedule(const TrotterConfig& config);

    std::uint64_t rounds() const { return rounds_; }
    std::uint64_t steps_per_round() const { return echo_ ? 2 * steps_ : steps_; }
    std::uint64_t total_steps() const { return rounds_ * steps_per_round(); }

    /// Batch of samples of a step, and the number of the step within it; `step` is counted through all batches from 0.
    std::uint64_t round(std::uint64_t step) const { return step / steps_per_round(); }
    std::uint64_t step_in_round(std::uint64_t step) const { return step % steps_per_round(); }
    Leg leg(std::uint64_t step) const { return step_in_round(step) < steps_ ? Leg::forward : Leg::back; }
    bool returning(std::uint64_t step) const { return leg(step) == Leg::back; }

    /// Whether the states are observed after this step; after the last step of a batch they always are. Time 0 of a
    /// batch is observed before its first step.
    bool observes(std::uint64_t step) const;
    /// Upper bound of the number of observations in a batch after time 0.
    std::uint64_t observations_per_round() const;
    /// Number of observations after time 0 of the forward evolution of a batch with an echo.
    std::uint64_t forward_observations() const;
    /// Time after `steps_of_round` steps of a batch, from 0 to steps_per_round(); in an echo it falls back to 0.
    double time(std::uint64_t steps_of_round) const;

  private:
    std::uint64_t steps_, rounds_;  ///< steps of the forward evolution; batches of samples
    double step_;
    bool echo_;
    std::uint64_t every_;                ///< steps between observations; 0: the listed ones
    std::vector<std::uint64_t> listed_;  ///< observed steps counted from time 0, ascending
};

}  // namespace strata::trotter
