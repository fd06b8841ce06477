// SPDX-License-Identifier: BSD-3-Clause
// The types of lattices, a row for each, and unit cells: the sites of a cell with their positions, and its bonds to
// sites of the same cell and of others.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
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

/// Construction of a lattice: from its unit cell, as legs of a ladder, as all pairs of another one, or from listed edges.
enum class Construction { cells, legs, pairs, edges };

/// Row of a type of lattice. All that keys and models say of a lattice follows from it.
struct LatticeType {
    std::string_view word;
    Construction construction = Construction::cells;
    /// The cell with the bonds of nearest neighbours; null unless it is repeated. Throws Error(bad_input) for texts of a
    /// custom cell that cannot be read.
    UnitCell (*cell)(const LatticeSpec& spec) = nullptr;
    std::size_t directions = 2;  ///< number of its extents
    bool periodic = true;        ///< along all of its directions
    /// Displacements (dx, dy), in cells, to half of the next-nearest neighbours of a site; the others are their opposites.
    std::span<const std::array<int, 2>> second_shell = {};
    bool distances = true;       ///< whether its positions can be those of lattice.type = all
    bool several_sites = false;  ///< whether a cell has, or may have, more than one site
    std::size_t hoppings = 1;    ///< largest number of values of model.t

    bool has_second_neighbours() const { return construction == Construction::legs || !second_shell.empty(); }
};
/// The rows in the order in which keys name them.
std::span<const LatticeType> lattice_types();
/// The row of a word; null if there is none, as for sites without bonds.
const LatticeType* lattice_type(std::string_view word);

/// The cell of a type that is made of cells, with the bonds to next-nearest neighbours that the spec has. Throws as
/// LatticeType::cell. Checkerboard: Sun, Gu, Katsura, Das Sarma, PRL 106, 236803 (2011).
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
