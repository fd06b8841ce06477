// SPDX-License-Identifier: BSD-3-Clause
// Coefficients of several recurrences of a fixed largest number of steps, computed one after another: the samples of a
// trace, or the plane waves of a spectrum.
#pragma once

#include <vector>

#include "krylov/recurrence.hpp"

namespace strata::krylov {

class RecurrenceTable {
  public:
    RecurrenceTable(std::size_t count, std::size_t max_steps)
        : max_steps_(max_steps), alpha_(count * max_steps), beta_(count * max_steps), steps_(count) {}

    std::size_t max_steps() const { return max_steps_; }
    std::size_t steps(std::size_t i) const { return static_cast<std::size_t>(steps_[i]); }  ///< done in recurrence i
    std::span<const double> alpha(std::size_t i) const { return {alpha_.data() + i * max_steps_, steps(i)}; }
    std::span<const double> beta(std::size_t i) const { return {beta_.data() + i * max_steps_, steps(i)}; }

    /// The next step of recurrence i, which has begun. Returns whether it was the last one. Collective.
    bool advance(HermitianOperator& op, std::size_t i, RecurrenceState& state) {
        recurrence_step(op, state, {alpha_.data() + i * max_steps_, max_steps_},
                        {beta_.data() + i * max_steps_, max_steps_});
        steps_[i] = static_cast<double>(state.steps);
        return state.steps == max_steps_ || state.exhausted != 0;
    }

    /// All rows one after another, for checkpoints.
    std::vector<double>& all_alpha() { return alpha_; }
    std::vector<double>& all_beta() { return beta_; }
    std::vector<double>& all_steps() { return steps_; }

  private:
    std::size_t max_steps_;
    std::vector<double> alpha_, beta_;  ///< [recurrence][step]
    std::vector<double> steps_;         ///< [recurrence]
};

}  // namespace strata::krylov
