// SPDX-License-Identifier: BSD-3-Clause
// Coefficients of several recurrences of a fixed largest number of steps, computed one after another: the samples of a
// trace, or the plane waves of a spectrum.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "krylov/recurrence.hpp"

namespace strata::krylov {

class RecurrenceTable {
  public:
    RecurrenceTable(std::size_t count, std::size_t max_steps)
        : max_steps_(max_steps), alpha_(count * max_steps), beta_(count * max_steps), steps_(count) {}

    std::size_t max_steps() const { return max_steps_; }
    std::size_t steps(std::size_t i) const { return steps_[i]; }  ///< number of steps done in recurrence i
    std::span<const double> alpha(std::size_t i) const { return {alpha_.data() + i * max_steps_, steps(i)}; }
    std::span<const double> beta(std::size_t i) const { return {beta_.data() + i * max_steps_, steps(i)}; }

    /// Runs the next step of recurrence i, of which `state` is the current state. Returns whether it
    /// was the last one. Collective.
    bool advance(HermitianOperator& op, std::size_t i, RecurrenceState& state) {
        recurrence_step(op, state, {alpha_.data() + i * max_steps_, max_steps_},
                        {beta_.data() + i * max_steps_, max_steps_});
        steps_[i] = state.steps;
        return state.steps == max_steps_ || state.exhausted != 0;
    }

    /// Replaces the recurrences from number `first` on by those of a table with the same max_steps().
    void replace(std::size_t first, const RecurrenceTable& by) {
        const auto at = [](auto& list, std::size_t i) { return list.begin() + static_cast<std::ptrdiff_t>(i); };
        std::ranges::copy(by.alpha_, at(alpha_, first * max_steps_));
        std::ranges::copy(by.beta_, at(beta_, first * max_steps_));
        std::ranges::copy(by.steps_, at(steps_, first));
    }

    /// Adds alpha and beta of all recurrences, or the numbers of steps, to the arrays of a checkpoint.
    void add_coefficients(std::vector<DistributedArray>& arrays, const std::string& prefix = "") {
        arrays.push_back(Record(prefix + "alpha").field("alpha", alpha_).array());
        arrays.push_back(Record(prefix + "beta").field("beta", beta_).array());
    }
    void add_steps(std::vector<DistributedArray>& arrays, const std::string& prefix = "") {
        arrays.push_back(Record(prefix + "steps-made").field("steps", steps_).array());
    }

  private:
    std::size_t max_steps_;
    std::vector<double> alpha_, beta_;  ///< [recurrence][step]
    std::vector<std::uint64_t> steps_;  ///< [recurrence]
};

}  // namespace strata::krylov
