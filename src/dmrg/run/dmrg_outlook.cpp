// SPDX-License-Identifier: BSD-3-Clause
// Progress estimate and the table of sweeps in a log. The cost of a sweep grows with M; the number of sweeps of a run without schedule is predicted from
// the decay of the discarded weight. No result depends on it.
#include <algorithm>
#include <cmath>

#include "dmrg/run/dmrg.hpp"
#include "strata/formatted.hpp"

namespace strata::dmrg {
namespace {

/// Relative time of a sweep, fitted to chains of 32 sites: nearly independent of M below 100 states, proportional to
/// M^3 above a thousand.
double work_of(std::uint64_t states) {
    const double m = 100 + static_cast<double>(states);
    return m * m * (1 + m / 1000);
}

/// Guess of the final M in units of the first sweep's M, used until the discarded weights of two sweeps predict it.
constexpr std::uint64_t first_guess = 8;

}  // namespace

/// M of all sweeps of the current state: those that are finished and those that are predicted.
std::vector<std::uint64_t> Dmrg::predicted_states() const {
    const DmrgConfig& c = plan_.config();
    std::vector<std::uint64_t> sweeps;
    if (!automatic()) {
        for (const SweepSettings& s : c.schedule) sweeps.push_back(s.states);
        return sweeps;
    }
    for (std::uint64_t s = 0; s < history_.sweeps; ++s) sweeps.push_back(requested_states(s));
    if (history_.sweeps > 0 && decision_.finished) return sweeps;
    std::uint64_t states = requested_states(history_.sweeps), last = first_guess * requested_states(0);
    if (const auto growth = required_growth())
        last = static_cast<std::uint64_t>(*growth * history_.states[static_cast<std::size_t>(history_.sweeps) - 1]);
    last = std::min(last, c.max_states);
    while (sweeps.size() < c.max_sweeps) {
        sweeps.push_back(states);
        if (states >= last && sweeps.size() >= c.noise.size()) break;
        states = std::max(states, std::min(2 * states, last));
    }
    return sweeps;
}

Outlook Dmrg::outlook() const {
    const std::vector<std::uint64_t> sweeps = predicted_states();
    const std::uint64_t steps = steps_made_ - first_sweep_ * bonds_per_sweep();
    double all = 0, made = 0;
    for (std::size_t s = 0; s < sweeps.size(); ++s) {
        const double part =
            static_cast<double>(steps) / static_cast<double>(bonds_per_sweep()) - static_cast<double>(s);
        all += work_of(sweeps[s]);
        made += std::clamp(part, 0.0, 1.0) * work_of(sweeps[s]);
    }
    const bool last_done = table_.finished == n_states();
    const double states = static_cast<double>(table_.finished) + (last_done ? 0 : made / all);
    const int bond = steps_made_ == 0 ? 0 : place_of(steps_made_ - 1).first;
    const auto number = [](std::uint64_t n) { return static_cast<unsigned long long>(n); };
    const std::string state =
        n_states() == 1 ? "" : formatted("state %llu of %zu, ", number(half_.state) + 1, n_states());
    return {states / static_cast<double>(n_states()),
            state + formatted("sweep %llu, bond %d, M = %llu, discarded %.1e, energy %.9g", number(half_.sweep), bond,
                              number(half_.states), half_.truncation, half_.energy)};
}

/// A line for every half sweep, to the right and back to the left. With several states it begins with the number of the
/// state, in the order in which they are computed.
std::string Dmrg::log_line(std::span<const double> row) const {
    const char* direction = steps_made_ % bonds_per_sweep() == 0 ? "left" : "right";
    return (n_states() == 1 ? "" : formatted("state %.0f  ", row.back())) +
           formatted("sweep %2.0f %-5s  M %5.0f  energy %18.12f  discarded %7.1e", row[0], direction, row[1], row[2],
                     row[3]);
}

}  // namespace strata::dmrg
