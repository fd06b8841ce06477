// SPDX-License-Identifier: BSD-3-Clause
// The order of steps in a run. A round takes the states that evolve at once from time 0 to their end, in an echo there
// and back; rounds follow one another until all samples are done.
//
//   step of the run    0 1 2 ... n-1 | n ... 2n-1 |  2n ...         (run.steps = n, run.echo = yes)
//                      forward         back          next round
#pragma once

#include <cstdint>
#include <vector>

#include "trotter/config.hpp"
#include "trotter/drive.hpp"

namespace strata::trotter {

class Schedule {
  public:
    /// Throws Error(bad_input) for times of observation that are no multiples of run.step or lie beyond the end.
    explicit Schedule(const TrotterConfig& config);

    std::uint64_t rounds() const { return rounds_; }
    std::uint64_t steps_per_round() const { return echo_ ? 2 * steps_ : steps_; }
    std::uint64_t total_steps() const { return rounds_ * steps_per_round(); }

    /// Place of a step, counted through all rounds from 0.
    std::uint64_t round(std::uint64_t step) const { return step / steps_per_round(); }
    std::uint64_t step_in_round(std::uint64_t step) const { return step % steps_per_round(); }
    Leg leg(std::uint64_t step) const { return step_in_round(step) < steps_ ? Leg::forward : Leg::back; }
    bool returning(std::uint64_t step) const { return leg(step) == Leg::back; }

    /// Whether the state is observed after this step; the last of a round always is. Time 0 of a round is observed
    /// before its first step.
    bool observes(std::uint64_t step) const;
    /// Steps of a round after which the states are observed; it may be one too many.
    std::uint64_t observations_per_round() const;
    /// Time after so many steps of a round, from 0 to steps_per_round(); it runs back to 0 in an echo.
    double time(std::uint64_t steps_of_round) const;

  private:
    std::uint64_t steps_, rounds_;
    double step_;
    bool echo_;
    std::uint64_t every_;                ///< 0: listed
    std::vector<std::uint64_t> listed_;  ///< steps from time 0, ascending
};

}  // namespace strata::trotter
