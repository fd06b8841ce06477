// SPDX-License-Identifier: BSD-3-Clause
// The rules by which M grows, noise returns and a run ends.
#include "dmrg/run/sweep_control.hpp"

#include <algorithm>
#include <cmath>

namespace strata::dmrg {
namespace {

/// Noise of a sweep that follows a slow sweep without noise: it restores states that the density matrices have lost.
constexpr double noise_of_slow_runs = 1e-4;

/// Bounds of the factor between the M of successive sweeps.
constexpr double min_growth = 1.25, max_growth = 2;

/// Guess of the final M in units of the first sweep's M, used until the discarded weights of two sweeps predict it.
constexpr std::uint64_t first_guess = 8;

}  // namespace

std::uint64_t SweepControl::requested_states(std::uint64_t sweep) const {
    const DmrgConfig& c = settings_;
    if (!automatic()) return c.schedule[std::min<std::size_t>(sweep, c.schedule.size() - 1)].states;
    return sweep == 0 ? std::min(c.start_states, c.max_states) : history_.requested_states[sweep];
}

double SweepControl::noise(std::uint64_t sweep) const {
    return std::max(settings_.noise_of(sweep), history_.extra_noise[sweep]);
}

std::uint64_t SweepControl::products(std::uint64_t sweep) const {
    constexpr std::uint64_t limit = 1000;
    std::uint64_t most = settings_.products;
    for (std::uint64_t s = 0; automatic() && s < std::min(sweep, history_.sweeps) && most < limit; ++s)
        if (history_.states[s] < static_cast<double>(requested_states(s))) most *= 2;
    return std::min(most, std::max(limit, settings_.products));
}

/// A state of which nothing was discarded gets twice the M that it has used, and at least that of the starts. M stays
/// the same if the last half sweep gained much more energy than truncations have cost, because further sweeps at small M
/// are cheaper. Otherwise it is the M predicted for run.tolerance, within the bounds of the growth factor.
std::uint64_t SweepControl::next_states() const {
    constexpr double unsettled = 10;
    const std::size_t last = history_.last();
    const std::uint64_t states = requested_states(last);
    if (noise(last) == 0 && last_truncation_is_exact() && has_unused_states()) {
        const auto used = static_cast<std::uint64_t>(history_.states[last]);
        return std::min(states, std::max(2 * used, settings_.states_of_starts()));
    }
    const bool settled = std::abs(history_.gained_in_half_sweep()) <=
                         std::max(unsettled * history_.truncation_costs[last], settings_.tolerance);
    if (!settled && !(is_slow() && has_unused_states())) return states;
    const double growth = std::clamp(required_growth().value_or(max_growth), min_growth, max_growth);
    const auto more = static_cast<std::uint64_t>(std::ceil(growth * static_cast<double>(states)));
    return std::min(more, settings_.max_states);
}

std::optional<double> SweepControl::required_growth() const {
    constexpr double margin = 2;
    if (history_.sweeps < 2) return std::nullopt;
    const std::size_t last = history_.last();
    const double excess = truncation_estimate(history_, settings_.single_sweeps) / settings_.tolerance;
    for (std::size_t before = last; before-- > 0;) {
        const double states = history_.states[last] / history_.states[before],
                     weights = history_.truncations[before] / history_.truncations[last];
        if (states < min_growth) continue;
        if (!(weights > states)) return std::nullopt;  // also false for 0 / 0
        return std::pow(margin * excess, std::log(states) / std::log(weights));
    }
    return std::nullopt;
}

std::optional<double> SweepControl::gain_through_noise() const {
    std::uint64_t s = history_.sweeps;
    while (s > 0 && noise(s - 1) == 0) --s;
    while (s > 0 && noise(s - 1) > 0) --s;
    if (s == 0) return std::nullopt;
    const double gain = history_.energies[s - 1] - history_.energies[history_.last()];
    return 2 * std::max(0.0, gain - 2 * history_.truncation_costs[s - 1]);
}

bool SweepControl::is_slow() const {
    const std::uint64_t single = settings_.single_sweeps;
    const double gain =
        std::max({remaining_gain(history_, single), history_.above_lowest(single), gain_through_noise().value_or(0)});
    const double least = std::max(settings_.tolerance / 2, truncation_estimate(history_, single));
    return automatic() && noise(history_.last()) == 0 && gain > least;
}

bool SweepControl::is_unconfirmed() const { return automatic() && last_truncation_is_exact() && !gain_through_noise(); }

bool SweepControl::has_unused_states() const {
    return history_.states[history_.last()] < static_cast<double>(requested_states(history_.last()));
}

double SweepControl::error_estimate(bool mixture) const {
    const double error = dmrg::error_estimate(history_, settings_.single_sweeps, rounding_, mixture && !automatic());
    return automatic() ? std::max(error, gain_through_noise().value_or(0)) : error;
}

bool SweepControl::converged() const { return history_.sweeps >= 2 && error_estimate() <= settings_.tolerance; }

bool SweepControl::finished() const {
    const DmrgConfig& c = settings_;
    if (history_.sweeps >= max_sweeps()) return true;
    if (!automatic() || history_.sweeps < 2 + c.single_sweeps || noise(history_.last()) > 0) return false;
    if (converged()) return !is_unconfirmed();
    const bool at_limit = requested_states(history_.last() - 1) == c.max_states;
    return at_limit && std::abs(history_.gained_in_sweep()) < 0.1 * c.tolerance;
}

SweepDecision SweepControl::decide() const {
    const bool ends_unconfirmed = is_unconfirmed() && noise(history_.last()) == 0 && converged();
    return {next_states(), is_slow() || ends_unconfirmed ? noise_of_slow_runs : 0, finished(), converged()};
}

bool SweepControl::may_begin_last_states() const {
    const std::uint64_t sweep = history_.last();
    if (requested_states(sweep + 1) <= requested_states(sweep)) return false;
    if (automatic()) return noise(sweep) == 0;
    const auto& schedule = settings_.schedule;
    return std::all_of(schedule.begin() + static_cast<std::ptrdiff_t>(sweep) + 1, schedule.end(),
                       [&](const SweepSettings& s) { return s.states == schedule.back().states; });
}

std::vector<std::uint64_t> SweepControl::predicted_states(bool finished) const {
    const DmrgConfig& c = settings_;
    std::vector<std::uint64_t> sweeps;
    if (!automatic()) {
        for (const SweepSettings& s : c.schedule) sweeps.push_back(s.states);
        return sweeps;
    }
    for (std::uint64_t s = 0; s < history_.sweeps; ++s) sweeps.push_back(requested_states(s));
    if (history_.sweeps > 0 && finished) return sweeps;
    std::uint64_t states = requested_states(history_.sweeps), last = first_guess * requested_states(0);
    if (const auto growth = required_growth())
        last = static_cast<std::uint64_t>(*growth * history_.states[history_.last()]);
    last = std::min(last, c.max_states);
    while (sweeps.size() < c.max_sweeps) {
        sweeps.push_back(states);
        if (states >= last && sweeps.size() >= c.noise.size()) break;
        states = std::max(states, std::min(2 * states, last));
    }
    return sweeps;
}

}  // namespace strata::dmrg
