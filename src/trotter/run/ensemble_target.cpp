// SPDX-License-Identifier: BSD-3-Clause
// Time and columns of the target, and the moments of its numbers over the states.
#include "trotter/run/ensemble_target.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "strata/error.hpp"
#include "strata/formatted.hpp"
#include "strata/standard_error.hpp"
#include "trotter/job/text.hpp"

namespace strata::trotter {
namespace {

/// Steps of a batch of samples after which the numbers are taken: the steps up to run.target-time, or all of them.
std::uint64_t target_steps(const TrotterPlan& plan) {
    const TrotterConfig& c = plan.config();
    if (!c.target_time) return plan.schedule().steps_per_round();
    const std::string what = "run.target-time: " + number_text(*c.target_time);
    const std::uint64_t steps = step_at(*c.target_time, c.step, what);
    if (steps > c.steps || (steps > 0 && !plan.schedule().observes(steps - 1)))
        throw Error(ExitCode::bad_input, what +
                                             " is no time of observation; choose one of run.measure-every, "
                                             "run.measure-times or run.measure-per-decade, or leave it out for the "
                                             "end of the run.");
    return steps;
}

}  // namespace

EnsembleTarget::EnsembleTarget(const TrotterPlan& plan, const Observation& observation)
    : target_(plan.config().target_error), name_(plan.config().target_observable), steps_(target_steps(plan)) {
    time_ = plan.schedule().time(steps_);
    columns_ = observation.columns_of(name_);
    if (columns_.empty())
        throw Error(ExitCode::bad_input, "run.target-observable = " + name_ +
                                             " is not observed; name an observable of run.observables, such as " +
                                             observation.columns().back().name + ".");
    means_.resize(columns_.size());
    squares_.resize(columns_.size());
}

void EnsembleTarget::add(std::uint64_t steps_of_round, std::span<const double> row) {
    if (steps_of_round != steps_) return;
    ++states_;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        const double deviation = row[columns_[i]] - means_[i];
        means_[i] += deviation / static_cast<double>(states_);
        squares_[i] += deviation * (row[columns_[i]] - means_[i]);
    }
}

double EnsembleTarget::error() const {
    if (states_ < fewest_samples) return std::numeric_limits<double>::infinity();
    return std::sqrt(variance_of_mean(std::ranges::max(squares_), states_));
}

std::string EnsembleTarget::sentence() const {
    return "the " + std::string(columns_.size() > 1 ? "largest " : "") + "error of " + name_ +
           formatted(" at time %.6g is %.2e after ", time_, error()) + std::to_string(states_) + " states";
}

DistributedArray EnsembleTarget::array() {
    return Record("target")
        .field("states", states_)
        .field("means", std::span(means_))
        .field("squares", std::span(squares_))
        .array();
}

}  // namespace strata::trotter
