// SPDX-License-Identifier: BSD-3-Clause
// Remarks on the results: bounds, levels that are degenerate or were not resolved, and states that break a symmetry of
// H.
#include <algorithm>
#include <cmath>

#include "dmrg/job/conserved.hpp"
#include "dmrg/physics/symmetries.hpp"
#include "dmrg/run/dmrg.hpp"
#include "strata/formatted.hpp"

namespace strata::dmrg {
namespace {

/// Asymmetry of a local value above which rounding or truncation of a symmetric state cannot explain it.
constexpr double broken = 1e-3;

std::string number(double value) { return formatted("%.2g", value); }

/// The conserved parities that only the starts compare, as the end of a sentence; empty if there are none.
std::string parities(const Model& model) {
    const std::vector<std::pair<int, int>> pairs = exchangeable_sites(model);
    if (pairs.size() < 2) return {};
    return ", above all since H conserves the parity under the exchange of sites " + std::to_string(pairs[0].first) +
           " and " + std::to_string(pairs[0].second) + " and of " + std::to_string(pairs.size() - 1) +
           " other pairs, which only the starts compare";
}

}  // namespace

std::string Dmrg::signs_of_a_mixture() const {
    const auto local = std::span(measured_).first(model().local.size() * static_cast<std::size_t>(model().sites));
    const double asymmetry = broken_symmetry(model(), plan_.config().width, local);
    const auto parts = by_parity();
    std::string found;
    if (parts)
        found = "it mixes even and odd under turning all spins over (spin-flip = " + number(parts->overlap) + ")";
    if (asymmetry > broken)
        found += (found.empty() ? "" : " and ") + std::string("its local values break a symmetry of H by ") +
                 number(asymmetry);
    return found;
}

/// A remark on signs that the state is one of several with nearly the same energy, or that no search for others was
/// made.
std::string Dmrg::degeneracy_remark() const {
    const std::string found = signs_of_a_mixture();
    if (found.empty())
        return "Whether other states have the same energy was not looked for, which run.states = 2 does; if there are "
               "any, all values but energies are those of an arbitrary mixture.";
    return "The state is a mixture: " + found +
           ". Its level is degenerate or nearly so, or the state has not converged, and all values but energies depend "
           "on the mixture; run.states gives the states of the level.";
}

/// A remark on states that are out of order, not resolved, or above their upper bounds.
std::string Dmrg::levels_remark() const {
    const std::vector<std::size_t> order = states_by_energy(), levels = levels_by_energy();
    std::string text;
    double above = 0;
    for (std::size_t r = 0; table_.finished == n_states() && r < order.size(); ++r)
        above = std::max(above, table_.energies[order[r]] - table_.ritz[r] - table_.errors[order[r]]);
    if (above > 0)
        text +=
            " Energies lie up to " + number(above) +
            " more above measured-energies than the searches estimated: the states are not resolved, start anew with "
            "larger M.";
    for (std::size_t r = 1; r < order.size(); ++r)
        if (order[r] < order[r - 1] && levels[r] != levels[r - 1]) {
            text += " A state that was found later lies lower: others may have been missed, ask for more.";
            break;
        }
    if (levels.back() + 1 < order.size())
        text +=
            " Values of states that are not told apart by their energies are averages over them (degeneracies), and "
            "their entropies, which depend on the mixture, are left out; the highest level may have more states than "
            "were asked for.";
    return text;
}

std::string Dmrg::remark() const {
    if (is_measured_ == 0) return {};
    const std::string kept = "Measured values are those of the state that is kept, whose energy is measured-energy.";
    const std::string start =
        "A search began with the lower of two starts: a lower state that neither of them leads to "
        "cannot be excluded" +
        parities(model()) + ". ";
    if (n_states() == 1) return "Energies of superblocks are upper bounds. " + start + kept + " " + degeneracy_remark();
    return "States are sought one after another, each orthogonal to those before. A level between them may have been "
           "missed; ask for one state more than is needed. Levels and gaps are those within the sector " +
           plan_.sector() + "; other sectors, which can have lower levels, are runs of their own. " + kept +
           " measured-energies are upper bounds of the lowest levels." + levels_remark();
}

}  // namespace strata::dmrg
