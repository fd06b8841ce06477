// SPDX-License-Identifier: BSD-3-Clause
// A sum of products of site operators on pairs of bit strings, up (rows) and down (columns):
//
//     H = H_up x 1 + 1 x H_down + sum_R R x C_R
//
// R runs over the different products of operators on the up bit strings, and C_R is the sum of all that it is multiplied
// by. Every product is an operator of bits: it needs some bits to have given values, flips some, and has a sign.
//
// With two modes a site, mode i of spin down is bit i of the columns, and mode i of spin up bit i of the rows; with one
// mode, the lower half of the sites is the columns. In both, the bits of the columns precede those of the rows. An
// operator of fermions passes all particles on preceding modes (Jordan and Wigner), so that each one of a row has the
// sign of all particles of the columns.
//
// Where sites are coded (coded_strings.hpp), the modes of a site are adjacent bits, the lower half of the sites is the
// columns, and modes are ordered site by site. A product acts as it stands and is then projected on the states that have
// codes: one that leads from or to other patterns is 0, and is left out.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "lanczos/physics/coded_strings.hpp"
#include "models/operators.hpp"

namespace strata::lanczos {

/// Leads from a bit string s to s ^ flip, with the sign (-1)^popcount(s & parity), if (s & mask) = value.
struct BitOperator {
    std::uint64_t mask = 0, value = 0, flip = 0, parity = 0;
    auto operator<=>(const BitOperator&) const = default;

    /// Whether `target` is reached from a bit string, which is target ^ flip, and whether with a minus sign.
    bool reaches(std::uint64_t target) const { return ((target ^ flip) & mask) == value; }
    bool minus(std::uint64_t target) const { return (std::popcount((target ^ flip) & parity) & 1) != 0; }
    /// Values of the bits of `mask` that a target must have.
    std::uint64_t target() const { return (value ^ flip) & mask; }
};

struct BitTerm {
    BitOperator op;
    Complex amplitude;
};

/// R x C_R.
struct RowTerm {
    BitOperator row;
    std::vector<BitTerm> columns;
};

struct SplitTerms {
    Complex constant = 0;
    std::vector<BitTerm> up, down;
    std::vector<RowTerm> both;
};

/// Whether terms of one factor stand apart, or are products with the factor 1 like all others: those that change a
/// conserved number lead to other bit strings than those of their rows or columns.
enum class OneFactor { apart, joined };
/// Splits a sum for columns of this many bits.
SplitTerms split(const OperatorSum& sum, int down_bits, const SiteCodes& codes = {},
                 OneFactor one_factor = OneFactor::apart);

}  // namespace strata::lanczos
