// SPDX-License-Identifier: BSD-3-Clause
// What a plan says of a job.
#include <algorithm>
#include <iterator>

#include "dmrg/physics/entanglement.hpp"
#include "dmrg/run/plan.hpp"
#include "io/scratch_file.hpp"
#include "strata/formatted.hpp"

namespace strata::dmrg {

std::string DmrgPlan::sector() const {
    const Model& m = config_.model;
    switch (m.conserved) {
        case Conserved::numbers:
            if (m.kind == SiteKind::electrons) return formatted("up %d, down %d", m.target.up, m.target.down);
            if (m.kind == SiteKind::spins)
                return formatted("Sz = %g", m.target.up - 0.5 * static_cast<double>(m.states() - 1) * m.sites);
            [[fallthrough]];
        case Conserved::particles: return formatted("particles %d", m.target.up);
        case Conserved::spin: return formatted("Sz = %g", 0.5 * (m.target.up - m.sites));
        case Conserved::parity: return m.target.parity == 0 ? "of even parity" : "of odd parity";
        default: return "of all states";
    }
}

std::vector<std::string> DmrgPlan::description() const {
    const TaskEntry& task = task_of(config_.task);
    std::vector<std::string> lines = {config_.lattice + ", " + std::to_string(config_.model.terms.all().size()) +
                                      " couplings, " + (task.all_sectors ? "all sectors" : "sector " + sector())};
    std::ranges::move(task.description(*this), std::back_inserter(lines));
    if (config_.model.complex) lines.emplace_back("H is complex: M counts real states, two for each complex one");
    return lines;
}

std::vector<std::string> DmrgPlan::traffic() const {
    const auto [all, near] = blocks();
    const auto states =
        static_cast<unsigned long long>(evolves() ? largest_states() : std::ranges::max(states_of_sweeps()));
    std::vector<std::string> lines = {
        formatted("about %.3g operations per multiplication in the middle of the chain at M = %llu",
                  flops_per_product(states, config_.model.sites / 2), states),
        on_disk() ? "run.blocks = memory would hold all blocks in memory, " + human_bytes(all) + " per rank"
                  : "run.blocks = disk would hold " + human_bytes(near) + " of the blocks in memory and " +
                        human_bytes(io::ScratchFile::bytes_for(all)) + " on disk per rank"};
    if (config_.schedule.empty() && !evolves()) std::ranges::copy(estimate(), std::back_inserter(lines));
    return lines;
}

/// Lines with the predicted M and time for run.tolerance.
std::vector<std::string> DmrgPlan::estimate() const {
    const auto needed = static_cast<double>(needed_states());
    const auto seconds_up_to = [&](double states) {
        return static_cast<double>(config_.states) * seconds(states_of_sweeps(states));
    };
    const std::string time = backend_ == BackendKind::cuda
                                 ? ""
                                 : formatted(", %.2g to %.2g s", seconds_up_to(needed / needed_factor),
                                             seconds_up_to(needed * needed_factor));
    std::vector<std::string> lines = {
        formatted("run.tolerance is likely to take M = %.0f to %.0f in %zu sweeps or more%s: an estimate from an",
                  needed / needed_factor, needed * needed_factor, states_of_sweeps().size(), time.c_str()),
        formatted(
            "entropy of %.2g (Calabrese, Cardy 2004) and the weights of critical chains (Calabrese, Lefevre 2008)",
            estimated_entropy(config_.model))};
    if (needed > static_cast<double>(config_.max_states))
        lines.push_back(formatted("M ends at run.max-states = %llu, which may be too few",
                                  static_cast<unsigned long long>(config_.max_states)));
    return lines;
}

}  // namespace strata::dmrg
