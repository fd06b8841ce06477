// SPDX-License-Identifier: BSD-3-Clause
// The same words for the operators of all applications.
#include "krylov/lowest_states_report.hpp"

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

std::string search_shortfall(const LowestStatesSolver& solver, const std::string& steps_key, Precision precision) {
    if (!solver.found())
        return formatted(
            "Not all of the %zu states have converged in %.0f steps: the largest residual is about %.2g. "
            "Allow more with %s, or this with run.allow-unconverged = yes.",
            solver.n_states(), static_cast<double>(solver.steps()), solver.max_residual(), steps_key.c_str());
    return formatted(
        "The largest residual of the %zu states is %.2g, above run.tolerance (%.2g): rounding does not "
        "allow less. Choose a larger run.tolerance%s.",
        solver.n_states(), solver.max_residual(), solver.tolerance(),
        precision == Precision::single ? ", or double precision" : "");
}

}  // namespace strata::krylov
