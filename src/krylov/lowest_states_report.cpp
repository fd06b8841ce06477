// SPDX-License-Identifier: BSD-3-Clause
// The same words for the operators of all applications.
#include "krylov/lowest_states_report.hpp"

#include <cmath>

#include "krylov/tridiagonal.hpp"
#include "strata/formatted.hpp"

namespace strata::krylov {

std::vector<Column> search_columns(const LowestStatesSolver& solver) {
    std::vector<Column> columns;
    for (std::size_t i = 0; i < solver.n_states(); ++i)
        columns.push_back({i == 0 ? "energy" : "energy-" + std::to_string(i), "energy", "Ritz value after each step"});
    columns.push_back({"residual-estimate", "energy", "largest of the requested states"});
    return columns;
}

void append_search_row(const LowestStatesSolver& solver, std::vector<double>& rows) {
    const std::vector<double> energies = solver.energies();
    rows.insert(rows.end(), energies.begin(), energies.end());
    rows.push_back(solver.max_residual());
}

void append_degeneracy(double states, Count count, std::vector<Quantity>& q) {
    const bool complete = count == Count::complete;
    q.push_back({"degeneracy",
                 "1",
                 complete ? "of the lowest energy" : "of the lowest energy: not known",
                 {complete ? states : NAN}});
    if (!complete && !std::isnan(states))
        q.push_back(
            {"degeneracy-at-least", "1", "of the lowest energy, a lower bound: ask for more run.states", {states}});
}

void append_degeneracy(const LowestStatesSolver& solver, std::vector<Quantity>& q) {
    if (!solver.found()) return;
    const auto states = static_cast<double>(solver.multiplicity());
    const bool complete = !solver.unresolved() && !solver.may_be_more();
    append_degeneracy(solver.unresolved() ? NAN : states, complete ? Count::complete : Count::at_least, q);
}

std::string search_shortfall(const LowestStatesSolver& solver, const std::string& steps_key, Precision precision) {
    if (solver.found())
        return formatted(
            "The largest residual is %.2g, above run.tolerance (%.2g): rounding does not allow less. Choose a larger "
            "run.tolerance%s.",
            solver.max_residual(), solver.tolerance(), precision == Precision::single ? ", or double precision" : "");
    const auto steps = static_cast<double>(solver.steps());
    const std::string unfinished = solver.n_states() == 1
                                       ? "the state has not converged"
                                       : formatted("not all of the %zu states have converged", solver.n_states());
    const std::string missing =
        solver.max_residual() > estimate_margin * solver.tolerance()
            ? formatted("%s: the largest residual is about %.2g, and run.tolerance allows %.2g", unfinished.c_str(),
                        solver.max_residual(), solver.tolerance())
            : formatted(
                  "residuals are small enough, about %.2g, but it is not proved that no other state of these "
                  "energies, or a lower one, is missing",
                  solver.max_residual());
    return formatted("After %.0f steps %s. Allow more with %s, e.g. %.0f, or this with run.allow-unconverged = yes.",
                     steps, missing.c_str(), steps_key.c_str(), 2 * steps);
}

}  // namespace strata::krylov
