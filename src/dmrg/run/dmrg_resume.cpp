// SPDX-License-Identifier: BSD-3-Clause
// The length of a resumed run: a schedule is that of the whole run, with the sweeps that the state has.
#include "comm/collectives.hpp"
#include "dmrg/run/dmrg.hpp"
#include "strata/error.hpp"

namespace strata::dmrg {
namespace {

std::string list_text(std::size_t n, const auto& states_of) {
    std::string text;
    for (std::size_t i = 0; i < n; ++i) text += (i == 0 ? "" : ",") + std::to_string(states_of(i));
    return text;
}

[[noreturn]] void refuse(const std::string& sentence) { throw CollectiveError(ExitCode::bad_input, sentence); }

}  // namespace

/// Throws CollectiveError(bad_input) if the current state has more sweeps than the job asks for.
void Dmrg::check_length(std::uint64_t step) const {
    const DmrgConfig& c = plan_.config();
    const std::uint64_t made = step - first_sweep_ * bonds_per_sweep(), allowed = control_.max_sweeps();
    if (made <= allowed * bonds_per_sweep()) return;
    const std::string begun = made % bonds_per_sweep() == 0 ? "" : " and a part of the next one",
                      sweeps = std::to_string(history_.sweeps) + (history_.sweeps == 1 ? " sweep" : " sweeps");
    if (control_.automatic())
        refuse("The state has " + sweeps + begun +
               " already, more than run.max-sweeps = " + std::to_string(c.max_sweeps) + "; ask for more than that.");
    const std::string done = list_text(static_cast<std::size_t>(history_.sweeps),
                                       [&](std::size_t s) { return history_.requested_states[s]; }),
                      asked = list_text(c.schedule.size(), [&](std::size_t s) { return c.schedule[s].states; });
    refuse("The state has " + sweeps + begun + " already (M = " + done + "), more than run.schedule = " + asked +
           " has. Give the whole schedule, with the sweeps that are made: run.schedule = " + done + "," + asked + ".");
}

}  // namespace strata::dmrg
