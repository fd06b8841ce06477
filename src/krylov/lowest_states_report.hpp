// SPDX-License-Identifier: BSD-3-Clause
// Columns of a search for the lowest states, its multiplicity, and the sentence on what it did not reach.
#pragma once

#include <string>
#include <vector>

#include "krylov/lowest_states.hpp"
#include "strata/record.hpp"

namespace strata::krylov {

/// Energies of all states and the largest estimated residual: columns, and the values of a row.
std::vector<Column> search_columns(const LowestStatesSolver& solver);
void append_search_row(const LowestStatesSolver& solver, std::vector<double>& rows);

/// Appends `degeneracy`, the number of states of the lowest energy, which is NaN unless the search has proved that there
/// are no more; `degeneracy-at-least` has a lower bound where it knows one. Nothing before the search has ended.
void append_degeneracy(const LowestStatesSolver& solver, std::vector<Quantity>& q);
/// The two quantities for a number of states that is complete or a lower bound.
enum class Count { complete, at_least };
void append_degeneracy(double states, Count count, std::vector<Quantity>& q);

/// The reason for which a search counts as not converged. `steps_key`: key of the largest number of steps.
std::string search_shortfall(const LowestStatesSolver& solver, const std::string& steps_key, Precision precision);

}  // namespace strata::krylov
