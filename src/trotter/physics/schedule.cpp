// SPDX-License-Identifier: BSD-3-Clause
// Listed times are kept as numbers of steps; the backward evolution of an echo is observed at the same times.
#include "trotter/physics/schedule.hpp"

#include <algorithm>
#include <cmath>

#include "strata/error.hpp"
#include "trotter/job/text.hpp"

namespace strata::trotter {
namespace {

/// run.measure-times as numbers of steps.
std::vector<std::uint64_t> listed_steps(const TrotterConfig& config) {
    std::vector<std::uint64_t> listed;
    for (const double time : config.measure_times) {
        const std::string what = "run.measure-times: " + number_text(time);
        listed.push_back(step_at(time, config.step, what));
        if (listed.back() > config.steps)
            throw Error(ExitCode::bad_input, what + " lies beyond the end of the run, run.step times run.steps = " +
                                                 number_text(config.step * static_cast<double>(config.steps)) + ".");
    }
    return listed;
}

/// Steps as near as possible to 10^(i / per_decade).
std::vector<std::uint64_t> logarithmic_steps(std::uint64_t steps, std::uint64_t per_decade) {
    std::vector<std::uint64_t> listed;
    for (std::uint64_t i = 0;; ++i) {
        const double step = std::round(std::pow(10.0, static_cast<double>(i) / static_cast<double>(per_decade)));
        if (step > static_cast<double>(steps)) return listed;
        listed.push_back(static_cast<std::uint64_t>(step));
    }
}

}  // namespace

Schedule::Schedule(const TrotterConfig& config)
    : steps_(config.steps),
      rounds_(config.samples / config.concurrent),
      step_(config.step),
      echo_(config.echo),
      every_(config.measure_every),
      listed_(config.measure_per_decade > 0 ? logarithmic_steps(config.steps, config.measure_per_decade)
                                            : listed_steps(config)) {
    std::ranges::sort(listed_);
    listed_.erase(std::unique(listed_.begin(), listed_.end()), listed_.end());
}

bool Schedule::observes(std::uint64_t step) const {
    const std::uint64_t done = step_in_round(step) + 1;
    if (done == steps_per_round()) return true;
    if (every_ > 0) return done % every_ == 0;
    return std::ranges::binary_search(listed_, done <= steps_ ? done : 2 * steps_ - done);
}

std::uint64_t Schedule::observations_per_round() const {
    return 1 + (every_ > 0 ? steps_per_round() / every_ : (echo_ ? 2 : 1) * listed_.size());
}

std::uint64_t Schedule::forward_observations() const {
    if (every_ > 0) return steps_ / every_;
    return static_cast<std::uint64_t>(std::ranges::count_if(listed_, [](std::uint64_t step) { return step > 0; }));
}

double Schedule::time(std::uint64_t steps_of_round) const {
    return step_ * static_cast<double>(steps_of_round <= steps_ ? steps_of_round : 2 * steps_ - steps_of_round);
}

}  // namespace strata::trotter
