// SPDX-License-Identifier: BSD-3-Clause
// Progress estimate and the table of sweeps in a log. The cost of a sweep grows with M. No result depends on it.
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

}  // namespace

Outlook Dmrg::outlook() const {
    const std::vector<std::uint64_t> sweeps = control_.predicted_states(decision_.finished);
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
