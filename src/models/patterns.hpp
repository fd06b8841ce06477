// SPDX-License-Identifier: BSD-3-Clause
// Terms with patterns in the place of sites, which stand for one term for every site or bond of a lattice:
//
//     0.5 Sx {i}                       every site i
//     1.0 Sz {i} Sz {i+1}              every site and the next one of a chain or ring; {i-1}, {i+2} ... likewise. Beyond
//                                      an open end there is no term
//     1.0 {<i,j>} Sz {i} Sz {j}        every bond between neighbours, i and j its sites
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "models/lattice.hpp"
#include "models/text.hpp"

namespace strata {

/// What patterns run over, whatever amplitudes a model gives the bonds.
struct PatternLattice {
    std::string type;  ///< as LatticeSpec::type; "none": sites without bonds and without neighbours
    int sites = 0;
    std::vector<std::pair<int, int>> bonds;  ///< between neighbours; sites joined several times as often

    PatternLattice() = default;
    explicit PatternLattice(LatticeSpec spec);
};

/// What a term runs over: nothing, {i}, both {i} and {j}, or bonds.
enum class SitePattern { none, site, pair, bond };
/// Throws as Item::refuse() does for words in braces that are no pattern, and those that the lattice does not have.
SitePattern pattern_of(const Item& term, const PatternLattice& lattice);
/// The term with these sites in the place of the patterns; nothing if one lies beyond an open end.
std::optional<Item> with_sites(const Item& term, const PatternLattice& lattice, int i, int j);
/// All terms that terms of H stand for. Throws as pattern_of() does, for {j} without bonds, and for patterns without a
/// lattice.
std::vector<Item> all_terms(const std::vector<Item>& terms, const PatternLattice& lattice);
/// Whether a term has a pattern.
bool have_patterns(const std::vector<Item>& terms);

}  // namespace strata
