// SPDX-License-Identifier: BSD-3-Clause
// Operators as texts, in the notation that the field writes down. A term is a coefficient and any number of operators,
// each followed by its site and multiplied in the order in which they stand; a site may be named several times:
//
//     1.0 Sx 0 Sx 1                          spins: Sx Sy Sz S+ S-, and of spins 1/2 X Y Z, which are twice Sx Sy Sz
//     -0.5+0.2i cdag_up 3 c_up 7             electrons: cdag_up c_up n_up, the same with _dn, n = n_up + n_dn,
//     4 n_up 2 n_dn 2                        Sx Sy Sz S+ S- of the electron, P0 = 1 - n_up n_dn
//     -1 cdag 0 c 1                          fermions without spin: cdag c n
//     -1 bdag 0 b 1                          hard-core bosons, at most one on a site: bdag b n
//
// Coefficients are numbers such as -1.5, 1/2, 0.5i, 1-2i. Equal products add up.
#pragma once

#include <optional>
#include <vector>

#include "models/operators.hpp"
#include "models/text.hpp"

namespace strata {

/// Products of spins above 1/2: with one operator on a site, which mean the same for any spin, or any, as operators of
/// levels.
enum class SpinProducts { one_on_a_site, any };

/// What the terms of a list may name: sites from 0 to `max_sites` - 1, and coefficients up to `max_energy`.
struct OperatorLimits {
    int max_sites = 64;
    double max_energy = 1e9;
    int twice_spin = 1;  ///< 2 S
    SpinProducts products = SpinProducts::one_on_a_site;
};

/// A list of terms.
struct OperatorList {
    struct Line {
        Item text;
        Complex coefficient;
        OperatorSum product;  ///< without the coefficient
    };
    SiteKind kind = SiteKind::spins;
    int sites = 0;  ///< the largest site that a term names, plus 1
    std::vector<Line> lines;

    /// The sum as it is written.
    OperatorSum sum() const;
    /// The sum as a Hamiltonian: to a product that is not its own Hermitian conjugate the conjugate is added, unless the
    /// list has it, too. Throws as Item::refuse() does where coefficients of conjugates are not conjugate.
    OperatorSum hamiltonian() const;
    /// The first line with this product in its normal form.
    const Item& line_with(const OperatorProduct& product) const;
};

/// The operator of this name of the notation on a site of a kind that has it; `twice_spin`: of spins above 1/2 an
/// operator of levels.
OperatorSum site_operator(SiteKind kind, const std::string& name, int site, int twice_spin = 1);

/// Reads terms on sites of `kind`, or of the kind that their operators tell. Throws Error(bad_input) as Item::refuse()
/// does.
OperatorList read_operators(const std::vector<Item>& items, std::optional<SiteKind> kind, const OperatorLimits& limits);

}  // namespace strata
