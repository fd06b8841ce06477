// SPDX-License-Identifier: BSD-3-Clause
// A product of site operators (models/operators.hpp) as a product over the sites of the row, in ascending order. An operator
// that exchanges its sign with others carries the parities of all sites before its own (Jordan, Wigner, Z. Phys. 47, 631
// (1928)), so that with P the parity of a site
//
//     product = sign * prod_factors (O_site P^odd),  and P^odd of the last factor for every site between two factors
//
// where `odd` says whether an odd number of such operators follows on later sites.
#pragma once

#include <compare>
#include <vector>

#include "dmrg/job/site_operator.hpp"
#include "models/operators.hpp"

namespace strata::dmrg {

struct SiteFactor {
    int site = 0;
    OperatorProduct operators;  ///< those of this site, in their order
    bool odd = false;
    friend auto operator<=>(const SiteFactor&, const SiteFactor&) = default;
};

struct SiteProduct {
    std::vector<SiteFactor> factors;  ///< ascending sites; empty: the identity
    double sign = 1;
};

SiteProduct by_sites(const OperatorProduct& product, SiteKind kind);

/// The sites of a product, ascending.
std::vector<int> sites_of(const OperatorProduct& product);

/// O P^odd between the states of a site; without elements where O leads out of them.
/// `parities`: [state of a site] fermions modulo 2.
SiteOperator matrix_of(SiteKind kind, const std::vector<int>& parities, const SiteFactor& factor);

}  // namespace strata::dmrg
