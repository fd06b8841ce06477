// SPDX-License-Identifier: BSD-3-Clause
// The energy that truncations add, summed over bonds, is 0.4 to 1.3 times the error of a converged state with M states,
// for chains, ladders and cylinders of electrons and spins (perf/notebook.md).
#include "dmrg/run/sweep_history.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace strata::dmrg {

double SweepHistory::gained_in_half_sweep() const { return energies_to_right[last()] - energies[last()]; }

double SweepHistory::gained_in_sweep() const { return energies[last() - 1] - energies[last()]; }

double SweepHistory::above_lowest(std::uint64_t single_sweeps) const {
    double lowest = energies[last()];
    for (std::size_t s = single_sweeps; s <= last(); ++s)
        lowest = std::min({lowest, energies[s], energies_to_right[s]});
    return energies[last()] - lowest;
}

double SweepHistory::descent(std::uint64_t single_sweeps) const {
    double highest = single_sweeps == 0 ? start_energy : energies[last()];
    for (std::size_t s = single_sweeps; s <= last(); ++s)
        highest = std::max({highest, energies[s], energies_to_right[s]});
    return highest - energies[last()];
}

std::optional<double> extrapolated_energy(const SweepHistory& h, std::uint64_t single_sweeps) {
    const std::size_t last = h.last();
    const double e = h.energies[last], w = h.truncations[last];
    if (w < exact_truncation) return e;
    for (std::size_t before = last; before-- > single_sweeps;) {
        const double e0 = h.energies[before], w0 = h.truncations[before];
        if (w0 <= 4 * w) continue;  // sweeps with similar weights give no reliable slope
        if (e0 <= e) return std::nullopt;
        return e - w * (e0 - e) / (w0 - w);
    }
    return std::nullopt;
}

double truncation_estimate(const SweepHistory& h, std::uint64_t single_sweeps) {
    constexpr double margin = 2;
    const auto extrapolated = extrapolated_energy(h, single_sweeps);
    const double distance = extrapolated ? h.energies[h.last()] - *extrapolated : 0;
    return margin * std::max(h.truncation_costs[h.last()], distance);
}

namespace {

/// [half sweep] gain on the lowest energy before it, minus twice the energy that truncations had added there: energy
/// that a sweep with noise has lost and the next one recovers is not a gain. Half sweeps before `first` do not enter
/// that minimum. Where four half sweeps in a row decrease the energy above an earlier minimum, as many as a sweep with
/// noise and the next one have, the state of that minimum is lost: the last of the four takes its place.
std::vector<double> gains_of_half_sweeps(const SweepHistory& h, std::size_t first) {
    constexpr int approaches = 4;
    std::vector<double> gains(2 * h.sweeps);
    double lowest = h.start_energy, cost = 0, previous = h.start_energy;
    int decreases = 0;  // number of successive half sweeps that approach the minimum from above
    for (std::size_t n = 0; n < gains.size(); ++n) {
        const std::size_t sweep = n / 2;
        const bool to_right = n % 2 == 0;
        const double energy = to_right ? h.energies_to_right[sweep] : h.energies[sweep];
        gains[n] = std::max(0.0, lowest - energy - 2 * cost);
        const bool above = n >= first && energy > lowest;
        decreases = above && energy < previous ? decreases + 1 : 0;
        previous = energy;
        if (above && decreases < approaches) continue;
        lowest = energy;
        cost = to_right ? h.costs_to_right[sweep] : h.truncation_costs[sweep];
    }
    return gains;
}

/// Number of half sweeps at the end of the history without a change of M in between. A larger M that follows an exact
/// truncation is no change.
std::size_t half_sweeps_at_last_states(const SweepHistory& h) {
    std::size_t sweep = h.last();
    while (sweep > 0 &&
           (h.requested_states[sweep - 1] == h.requested_states[sweep] || h.truncations[sweep - 1] < exact_truncation))
        --sweep;
    return 2 * (static_cast<std::size_t>(h.sweeps) - sweep);
}

}  // namespace

double remaining_gain(const SweepHistory& h, std::uint64_t single_sweeps, bool mixture) {
    constexpr double largest_ratio = 0.99, ratio_after_change = 0.5, margin = 4;
    const std::size_t at_last_states = half_sweeps_at_last_states(h);
    const std::size_t first = single_sweeps == 0 ? 0 : 2 * single_sweeps + 1, end = 2 * h.sweeps;
    const std::vector<double> gains = gains_of_half_sweeps(h, first);
    const auto gained = [&](std::size_t from, std::size_t to) {
        return std::accumulate(gains.data() + from, gains.data() + to, 0.0);
    };
    double remaining = std::abs(h.gained_in_half_sweep());
    for (std::size_t window = 1; window <= 4 && first + 2 * window <= end; window *= 2) {
        const double gain = gained(end - window, end), before = gained(end - 2 * window, end - window);
        const double largest = 2 * window <= at_last_states ? largest_ratio : ratio_after_change;
        const double ratio = gain < largest * before && !(mixture && window == 1) ? gain / before : largest;
        const double next = margin * gain * ratio / (1 - ratio);
        remaining = std::max(remaining, gain < before ? next : std::min(next, h.descent(single_sweeps)));
    }
    return remaining;
}

double error_estimate(const SweepHistory& h, std::uint64_t single_sweeps, double rounding, bool mixture) {
    constexpr double margin_of_one_sweep = 4;
    const double margin = h.sweeps < single_sweeps + 2 ? margin_of_one_sweep : 1;
    const double change = std::max(remaining_gain(h, single_sweeps, mixture), h.above_lowest(single_sweeps));
    return margin * truncation_estimate(h, single_sweeps) + h.search_errors[h.last()] +
           std::max(margin * change, rounding);
}

}  // namespace strata::dmrg
