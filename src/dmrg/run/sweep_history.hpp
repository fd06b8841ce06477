// SPDX-License-Identifier: BSD-3-Clause
// Settings and results of the sweeps of a state, and error estimates of its energy from them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "dmrg/job/config.hpp"

namespace strata::dmrg {

/// Requested settings and results of every finished sweep, [sweep]. The energy of a half sweep is the lowest one of its
/// superblocks, an upper bound.
struct SweepHistory {
    std::uint64_t sweeps = 0;  ///< number of finished sweeps
    double start_energy = 0;   ///< lowest energy of the starts
    /// Energies of the second half of each sweep (to the left), and of its first half (to the right).
    std::vector<double> energies = std::vector<double>(max_sweeps), energies_to_right = std::vector<double>(max_sweeps);
    std::vector<double> truncations = std::vector<double>(max_sweeps), states = std::vector<double>(max_sweeps),
                        search_errors = std::vector<double>(max_sweeps),
                        truncation_costs = std::vector<double>(max_sweeps),
                        costs_to_right = std::vector<double>(max_sweeps);
    /// Requested M, also of the next sweep.
    std::vector<std::uint64_t> requested_states = std::vector<std::uint64_t>(max_sweeps + 1);
    std::vector<double> extra_noise = std::vector<double>(max_sweeps + 1);  ///< least noise, also of the next sweep

    std::size_t last() const { return static_cast<std::size_t>(sweeps) - 1; }
    /// Decrease of the energy in the last half sweep.
    double gained_in_half_sweep() const;
    /// Difference between the last energy and the lowest one after the first `single_sweeps` sweeps.
    double above_lowest(std::uint64_t single_sweeps) const;
    /// Difference between the highest energy, the start included, and the last one, without the first `single_sweeps`
    /// sweeps.
    double descent(std::uint64_t single_sweeps) const;
    /// Decrease of the energy in the last sweep; at least two sweeps must be finished.
    double gained_in_sweep() const;
};

/// Discarded weight below which a truncation counts as exact, since rounding is of this order.
inline constexpr double exact_truncation = 1e-13;

/// Energy extrapolated linearly to zero truncation error, from the last sweep and the latest one before it that
/// discarded several times more weight; nothing if these sweeps do not define it. The first `single_sweeps` sweeps, in
/// single precision, are excluded.
std::optional<double> extrapolated_energy(const SweepHistory& h, std::uint64_t single_sweeps);

/// Error of the energy by the truncation to M states: twice the energy that the truncations of the last half sweep have
/// added, summed over bonds, and at least twice the distance to the extrapolated energy.
double truncation_estimate(const SweepHistory& h, std::uint64_t single_sweeps);

/// Energy that further half sweeps of the same M can gain, by a geometric series of the gains of the last 1, 2 or 4
/// half sweeps and of as many before them. A gain that only recovers the cost of an earlier truncation does not count.
/// Gains before a change of M do not show how fast those after it decrease: the ratio of the series is then at most 1/2.
/// Where the gains have not decreased, the result is at most descent(). The first `single_sweeps` sweeps are excluded.
/// A state that is seen to be a mixture of states with nearly the same energy decreases its energy the more slowly the
/// longer it is swept: the ratio of its last half sweeps is then the largest one that is assumed anywhere.
double remaining_gain(const SweepHistory& h, std::uint64_t single_sweeps, bool mixture = false);

/// Error of the last energy: truncation, remaining gain, search at a bond, lower energies of earlier sweeps, and
/// `rounding`. After a single sweep, which does not show the rate of convergence, truncation and remaining gain count
/// four times.
double error_estimate(const SweepHistory& h, std::uint64_t single_sweeps, double rounding, bool mixture = false);

}  // namespace strata::dmrg
