// SPDX-License-Identifier: BSD-3-Clause
// Operators of the user's own, whose expectation values are results. A line of observables.file is
//
//     NAME = coefficient operator site [operator site ...]
//
// and lines of one name add up. Sites may be patterns (models/patterns.hpp): the operator is then a family, one member for
// every site i, for every pair of sites i and j, or for every bond. What lies beyond an open end is left out of a member.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lanczos/job/config.hpp"
#include "models/filling.hpp"
#include "models/patterns.hpp"

namespace strata::lanczos {

struct Observable {
    std::string name;
    std::string text;                         ///< its lines without the name
    SitePattern pattern = SitePattern::none;  ///< what its members run over
    std::vector<OperatorSum> members;         ///< one, [i], [i * sites + j], or [bond]

    bool hermitian() const;
    bool real() const;  ///< whether all matrix elements are
};

/// Reads the lines of a file for a sector in which this is conserved. Throws Error(bad_input) for lines that cannot be
/// read, names of other results, and operators that leave the sector, whose expectation value is 0.
std::vector<Observable> read_observables(const NamedText& file, SiteKind kind, int twice_spin,
                                         const PatternLattice& lattice, Conserved conserved);
/// Those of a job.
std::vector<Observable> observables_of(const LanczosConfig& config);
/// The one whose spectrum a job asks for; empty if it asks for that of another operator. Throws Error(bad_input) unless
/// the file has one name, of an operator or of a list over sites.
std::optional<Observable> own_operator(const LanczosConfig& config);
/// sum_j w_j O_j over the members of an operator.
OperatorSum weighted_sum(const Observable& o, const std::vector<Complex>& weights);
/// The sites of every member of a family.
std::vector<std::pair<int, int>> places_of(SitePattern pattern, const PatternLattice& lattice);

}  // namespace strata::lanczos
