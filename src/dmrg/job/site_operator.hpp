// SPDX-License-Identifier: BSD-3-Clause
// Charges of the states of a site, and its matrices.
#pragma once

#include <compare>
#include <vector>

namespace strata::dmrg {

/// Conserved quantum numbers, additive over sites:
///
///     conserved    of electrons                        of spins
///     numbers      particles with spin up, and down    the sum of m + S, and 0
///     particles    their sum, and 0
///     spin         the sum of n_up - n_down + 1, 0
///     parity       0, 0, the parity of the particles   0, 0, that of the sum of m + S
///     nothing      0, 0                                0, 0
struct Charge {
    int up = 0, down = 0;
    int parity = 0;  ///< added modulo 2

    friend auto operator<=>(const Charge&, const Charge&) = default;
    friend Charge operator+(Charge a, Charge b) { return {a.up + b.up, a.down + b.down, a.parity ^ b.parity}; }
    friend Charge operator-(Charge a, Charge b) { return {a.up - b.up, a.down - b.down, a.parity ^ b.parity}; }
};

/// A matrix of one site, given by its non-zero elements.
struct SiteOperator {
    struct Element {
        int to, from;
        double value;
        friend auto operator<=>(const Element&, const Element&) = default;
    };
    std::vector<Element> elements;
    friend auto operator<=>(const SiteOperator&, const SiteOperator&) = default;
};

SiteOperator diagonal(const std::vector<double>& values);
bool is_diagonal(const SiteOperator& op);

}  // namespace strata::dmrg
