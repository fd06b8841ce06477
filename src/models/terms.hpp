// SPDX-License-Identifier: BSD-3-Clause
// H as a list of terms of one and two sites, in the notation that the field writes down. A term is a coefficient and
// operators, each followed by its site:
//
//     1.0 Sx 0 Sx 1                   spins: Sx, Sy, Sz, S+, S-
//     -0.5+0.2i cdag_up 3 c_up 7      electrons: cdag_up, c_up, n_up, the same with _dn, and n = n_up + n_dn
//     4 n_up 2 n_dn 2
//     -1 cdag 0 c 1                   fermions without spin: cdag, c, n
//
// Equal products of operators add up. H is Hermitian: of a product that is not its own Hermitian conjugate, the
// conjugate is added, unless the list has it, too, which must then have the conjugate coefficient.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "models/lattice.hpp"

namespace strata {

enum class SiteKind { electrons, fermions, spins };
const char* name_of(SiteKind kind);

/// The sums of the terms of a list, per site and per pair of sites.
struct TermSums {
    SiteKind kind = SiteKind::spins;
    int sites = 0;                             ///< the largest site that a term names, plus 1
    std::vector<Edge> edges;                   ///< electrons: amplitude of - c+_to c_from, weight of n n;
                                               ///< spins: twice the amplitude of S+_to S-_from, weight of S^z S^z
    std::vector<Vector3> exchange;             ///< [edge] of spins: J^x, J^y, J^z
    std::vector<double> u, potential;          ///< [site] of electrons
    std::array<std::vector<double>, 3> field;  ///< [axis][site] of spins
};

/// Reads terms whose sites are numbered from 0 to `max_sites` - 1; `kind` of sites if it is known. Throws
/// Error(bad_input) as Item::refuse() does for operators that are unknown or belong to other sites, for coefficients
/// beyond `max_energy`, and for terms that no application supports: more than two sites, two spin operators on a site,
/// products S^a S^b of different axes except S^x_i S^y_j - S^y_i S^x_j, and hops and energies that differ between spins
/// up and down.
TermSums read_terms(const std::vector<Item>& items, std::optional<SiteKind> kind, int max_sites, double max_energy);

}  // namespace strata
