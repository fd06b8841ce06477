// SPDX-License-Identifier: BSD-3-Clause
// Unit cells: the sites of a cell with their positions, and its bonds to sites of the same cell and of others.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "models/lattice_spec.hpp"
#include "models/text.hpp"

namespace strata {

/// Bonds of nearest or of next-nearest neighbours, or those of a list of terms, whose amplitudes are couplings.
enum class Shell { first, second, term };

/// A bond of the unit cell: from site `from` of a cell to site `to` of the cell (dx, dy) further.
struct CellBond {
    int from, to, dx, dy;
    Complex amplitude;
    double weight = 1;
    Shell shell = Shell::first;
};

struct UnitCell {
    int sites = 1;
    std::vector<CellBond> bonds;
    std::vector<Vector2> positions = {{0, 0}};         ///< [site], in units of the axes
    std::array<Vector2, 2> axes = {{{1, 0}, {0, 1}}};  ///< Cartesian, in lattice constants
};

/// The cell of every type but ladder, cylinder, all and file. Throws Error(bad_input) for texts of a custom cell that
/// cannot be read. Checkerboard: Sun, Gu, Katsura, Das Sarma, PRL 106, 236803 (2011).
UnitCell unit_cell(const LatticeSpec& spec);

/// Factors of a bond: `amplitude` of its hop or exchange, `weight` of its interaction.
struct BondFactors {
    Complex amplitude = 1;
    double weight = 1;
};

/// Reads "[re [im [weight]]]" from the word `first` of an item to its end. Throws as Item::refuse() does, with `rule`
/// where the numbers cannot be read.
BondFactors read_factors(const Item& item, std::size_t first, const LatticeSpec& spec, const std::string& rule);

}  // namespace strata
