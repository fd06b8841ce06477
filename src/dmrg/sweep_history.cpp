// SPDX-License-Identifier: BSD-3-Clause
// The sum over bonds of the energy that truncations add is about the error of a converged state of M states: 0.4 to 1.3
// times of it for chains, ladders and cylinders of electrons and spins (perf/README.md).
#include "dmrg/sweep_history.hpp"

#include <algorithm>
#include <cmath>

namespace strata::dmrg {

double SweepHistory::gained_in_half_sweep() const { return energies_to_right[last()] - energies[last()]; }

double SweepHistory::gained_in_sweep() const { return energies[last() - 1] - energies[last()]; }

double SweepHistory::above_lowest(std::uint64_t single_sweeps) const {
    double lowest = energies[last()];
    for (std::size_t s = single_sweeps; s <= last(); ++s)
        lowest = std::min({lowest, energies[s], energies_to_right[s]});
    return energies[last()] - lowest;
}

std::optional<double> extrapolated_energy(const SweepHistory& h, std::uint64_t single_sweeps) {
    const std::size_t last = h.last();
    const double e = h.energies[last], w = h.truncations[last];
    if (w < exact_truncation) return e;
    for (std::size_t before = last; before-- > single_sweeps;) {
        const double e0 = h.energies[before], w0 = h.truncations[before];
        if (w0 <= 4 * w) continue;  // Energies that differ less are not converged well enough for a slope.
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

double remaining_gain(const SweepHistory& h) {
    constexpr double largest_ratio = 0.99;
    const std::size_t last = h.last();
    const double before = last == 0 ? h.start_energy : h.energies[last - 1];
    const double gain = std::abs(h.gained_in_half_sweep()), gain_before = std::abs(before - h.energies_to_right[last]);
    const double ratio = gain < largest_ratio * gain_before ? gain / gain_before : largest_ratio;
    return gain * std::max(1.0, ratio / (1 - ratio));
}

double error_estimate(const SweepHistory& h, std::uint64_t single_sweeps, double rounding) {
    return truncation_estimate(h, single_sweeps) + h.search_errors[h.last()] +
           std::max({remaining_gain(h), h.above_lowest(single_sweeps), rounding});
}

}  // namespace strata::dmrg
