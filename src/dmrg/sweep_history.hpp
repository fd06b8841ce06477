// SPDX-License-Identifier: BSD-3-Clause
// What the sweeps of a state have shown, and how far its energy can still be from the lowest one that they approach.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "dmrg/config.hpp"

namespace strata::dmrg {

/// Requested and reached in each sweep, [sweep]. Energies are upper bounds, those of half sweeps the lowest ones of their
/// superblocks.
struct SweepHistory {
    std::uint64_t sweeps = 0;  ///< finished
    double start_energy = 0;   ///< lowest energy of the starts
    /// At the end of the sweep, and where it changed its direction.
    std::vector<double> energies = std::vector<double>(max_sweeps), energies_to_right = std::vector<double>(max_sweeps);
    std::vector<double> truncations = std::vector<double>(max_sweeps), states = std::vector<double>(max_sweeps),
                        search_errors = std::vector<double>(max_sweeps),
                        truncation_costs = std::vector<double>(max_sweeps),
                        costs_to_right = std::vector<double>(max_sweeps);
    std::vector<std::uint64_t> wanted_states = std::vector<std::uint64_t>(max_sweeps + 1);  ///< M, also of the next one
    std::vector<double> extra_noise =
        std::vector<double>(max_sweeps + 1);  ///< beside that of the job, also of the next one

    std::size_t last() const { return static_cast<std::size_t>(sweeps) - 1; }
    /// Energy that the last half sweep has gained.
    double gained_in_half_sweep() const;
    /// Difference of the last energy to the lowest one after the first `single_sweeps`.
    double above_lowest(std::uint64_t single_sweeps) const;
    /// Energy that the last sweep has gained; there are at least two.
    double gained_in_sweep() const;
};

/// Discarded weight that is rounding.
inline constexpr double exact_truncation = 1e-13;

/// The energy at zero truncation error, by a line through energy against truncation error of the last sweep and the last
/// one before that discarded several times more; nothing where these sweeps do not define it. The first
/// `single_sweeps` were in single precision.
std::optional<double> extrapolated_energy(const SweepHistory& h, std::uint64_t single_sweeps);

/// Energy that the truncation to M states can still cost: twice what the truncations of the last half sweep have added to
/// the energy, bond by bond, and no less than twice the distance to the extrapolated energy.
double truncation_estimate(const SweepHistory& h, std::uint64_t single_sweeps);

/// Energy that further half sweeps of the same M can gain, if their gains go on falling as they did: those of the last
/// 1, 2 or 4 half sweeps against as many before. What a truncation had cost before is no gain. The first
/// `single_sweeps` do not count.
double remaining_gain(const SweepHistory& h, std::uint64_t single_sweeps);

/// Error of the last energy: truncation, remaining gain, search at a bond, lower energies of earlier sweeps, and
/// `rounding`. After one sweep, which does not show how a state goes on changing, four times as much.
double error_estimate(const SweepHistory& h, std::uint64_t single_sweeps, double rounding);

}  // namespace strata::dmrg
