// SPDX-License-Identifier: BSD-3-Clause
// Operators of the user's own, whose expectation values are results. A line of observables.file is
//
//     NAME = coefficient operator site [operator site ...]
//
// and lines of one name add up. A site may be {i} or {j}: the operator is then a family, one member for every site i, or
// for every pair of sites i and j.
#pragma once

#include <string>
#include <vector>

#include "lanczos/physics/hamiltonian.hpp"
#include "models/filling.hpp"

namespace strata::lanczos {

struct Observable {
    std::string name;
    std::string text;                  ///< its lines without the name
    int axes = 0;                      ///< 1 with {i}, 2 with {i} and {j}
    std::vector<OperatorSum> members;  ///< one, [i], or [i * sites + j]

    bool hermitian() const;
};

/// Reads the lines of a file for a sector in which this is conserved. Throws Error(bad_input) for lines that cannot be
/// read, names of other results, and operators that leave the sector, whose expectation value is 0.
std::vector<Observable> read_observables(const NamedText& file, SiteKind kind, int sites, Conserved conserved);

}  // namespace strata::lanczos
