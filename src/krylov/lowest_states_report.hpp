// SPDX-License-Identifier: BSD-3-Clause
// Columns of a search for the lowest states, and the sentence on what it did not reach.
#pragma once

#include <string>
#include <vector>

#include "krylov/lowest_states.hpp"
#include "strata/record.hpp"

namespace strata::krylov {

/// Energies of all states and the largest estimated residual: columns, and the values of a row.
std::vector<Column> search_columns(const LowestStatesSolver& solver);
void append_search_row(const LowestStatesSolver& solver, std::vector<double>& rows);

/// The reason for which a search counts as not converged. `steps_key`: key of the largest number of steps.
std::string search_shortfall(const LowestStatesSolver& solver, const std::string& steps_key, Precision precision);

}  // namespace strata::krylov
