// SPDX-License-Identifier: BSD-3-Clause
// H as a list of terms (operator_text.hpp), sorted into what models of edges hold and the rest. Edges hold hops, the same
// for both spins, and n n; of spins Jx Sx Sx + Jy Sy Sy + Jz Sz Sz + D (Sx Sy - Sy Sx). Sites hold U n_up n_dn, energies
// that are the same for both spins, and fields.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "models/lattice.hpp"
#include "models/operator_text.hpp"

namespace strata {

/// The sums of the terms of a list, per site and per pair of sites.
struct TermSums {
    SiteKind kind = SiteKind::spins;
    int sites = 0;                             ///< the largest site that a term names, plus 1
    std::vector<Edge> edges;                   ///< particles: amplitude of - c+_to c_from, weight of n n;
                                               ///< spins: twice the amplitude of S+_to S-_from, weight of S^z S^z
    std::vector<Vector3> exchange;             ///< [edge] of spins: J^x, J^y, J^z
    std::vector<double> u, potential;          ///< [site] of particles
    std::array<std::vector<double>, 3> field;  ///< [axis][site] of spins
    OperatorSum others;                        ///< all other terms
};

/// Terms that an application takes: those of sites and edges with real amplitudes, or all.
enum class TermSet { sites_and_edges, all };

/// Reads the terms of H; `kind` of sites if it is known. Throws Error(bad_input) as Item::refuse() does for terms that
/// cannot be read, are not Hermitian, or do not belong to the set.
TermSums read_terms(const std::vector<Item>& items, std::optional<SiteKind> kind, const OperatorLimits& limits,
                    TermSet taken);

}  // namespace strata
