// SPDX-License-Identifier: BSD-3-Clause
// Basis states of spins 1/2 as bits, for the tables of diagonals.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace strata::trotter {

/// Number of basis states of `bits` spins.
constexpr std::uint64_t states(std::size_t bits) { return std::uint64_t{1} << bits; }
inline std::uint64_t states(const std::vector<int>& bits) { return states(bits.size()); }

/// s_j = 1/2 - (bit j) of a basis state.
constexpr double spin(std::uint64_t state, std::size_t bit) { return 0.5 - static_cast<double>(state >> bit & 1); }

}  // namespace strata::trotter
