// SPDX-License-Identifier: BSD-3-Clause
// The observables that run.observables can name, a row for each. The text of the key, its check, the names that a
// user's own observables cannot have and the sample of `strata keys --outputs` follow from the rows;
// run/observation.cpp has the functions that compute their numbers.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "models/model.hpp"

namespace strata::trotter {

/// What an observable needs beside the moments along the axes of its columns: the terms of H, the overlap with the
/// state at time 0, the spins of run.cut, or a ring or chain, whose wave vectors have one number.
enum class Need { nothing, hamiltonian, overlap, cut, line };

/// A column, or an array of columns. Moments along z are always measured.
struct ObservedColumn {
    const char* name = nullptr;
    Axis axis = Axis::z;
};

struct ObservableRow {
    std::string_view word;
    const char* addition;                   ///< what follows the word in the text of run.observables
    std::array<ObservedColumn, 3> columns;  ///< those that have names
    const char* axis;                       ///< what the numbers of a column run over; empty: one number
    const char* unit;
    const char* meaning;  ///< of a number
    Need need = Need::nothing;
};

// clang-format off
inline constexpr ObservableRow observable_rows[] = {
    {"sx", "", {{{"sx", Axis::x}}}, "site", "1", "expectation value of a spin component"},
    {"sy", "", {{{"sy", Axis::y}}}, "site", "1", "expectation value of a spin component"},
    {"sz", " of each spin", {{{"sz", Axis::z}}}, "site", "1", "expectation value of a spin component"},
    {"energy", "", {{{"energy"}}}, "", "energy", "expectation value of H, or of H + Sigma on the way back",
     Need::hamiltonian},
    {"loschmidt-echo", "", {{{"loschmidt-echo"}}}, "", "1",
     "|<psi(0)|psi>|^2; at the end of an echo, that of the state that was evolved there and back", Need::overlap},
    {"total", "", {{{"total-x", Axis::x}, {"total-y", Axis::y}, {"total-z", Axis::z}}}, "", "1", "sum of the spins"},
    {"staggered", " spin", {{{"staggered-z"}}}, "", "1", "sum of (-1)^j S_j^z"},
    {"correlations-x", "", {{{"correlations-x", Axis::x}}}, "pair", "1", "<S_j S_k>"},
    {"correlations-y", "", {{{"correlations-y", Axis::y}}}, "pair", "1", "<S_j S_k>"},
    {"correlations-z", " of all pairs", {{{"correlations-z", Axis::z}}}, "pair", "1", "<S_j S_k>"},
    {"structure-factor", "", {{{"structure-factor"}}}, "k", "1", "sum_jk cos(2 pi m (j - k) / N) <S_j^z S_k^z> / N",
     Need::line},
    {"distribution", " of the total Sz", {{{"distribution"}}}, "spins-down", "1", "probability of so many spins down"},
    {"participation", "", {{{"participation"}}}, "", "1", "sum of the squared probabilities of the basis states"},
    {"entropy", " of run.cut", {{{"entropy"}}}, "", "nat",
     "-tr rho ln rho of the spins of run.cut, their entanglement with all others", Need::cut}};
// clang-format on

/// The words of all observables, separated by commas, and with their additions.
std::string observable_words(const char* separator);
std::string observable_text();

/// The row of a word; null if there is none.
constexpr const ObservableRow* observable_row(std::string_view word) {
    for (const ObservableRow& row : observable_rows)
        if (row.word == word) return &row;
    return nullptr;
}

}  // namespace strata::trotter
