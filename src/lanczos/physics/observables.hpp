// SPDX-License-Identifier: BSD-3-Clause
// Operators of the user's own, whose expectation values are results. A line of observables.file is
//
//     NAME = coefficient operator site [operator site ...]
//
// and lines of one name add up. Sites may be patterns (models/patterns.hpp): the operator is then a family, one member for
// every site i, for every pair of sites i and j, or for every bond. What lies beyond an open end is left out of a member.
#pragma once

#include <string>
#include <vector>

#include "lanczos/physics/hamiltonian.hpp"
#include "models/filling.hpp"
#include "models/patterns.hpp"

namespace strata::lanczos {

struct Observable {
    std::string name;
    std::string text;                         ///< its lines without the name
    SitePattern pattern = SitePattern::none;  ///< what its members run over
    std::vector<OperatorSum> members;         ///< one, [i], [i * sites + j], or [bond]

    bool hermitian() const;
};

/// Reads the lines of a file for a sector in which this is conserved. Throws Error(bad_input) for lines that cannot be
/// read, names of other results, and operators that leave the sector, whose expectation value is 0.
std::vector<Observable> read_observables(const NamedText& file, SiteKind kind, int twice_spin,
                                         const PatternLattice& lattice, Conserved conserved);
/// The sites of every member of a family.
std::vector<std::pair<int, int>> places_of(SitePattern pattern, const PatternLattice& lattice);

}  // namespace strata::lanczos
