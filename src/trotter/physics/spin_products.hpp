// SPDX-License-Identifier: BSD-3-Clause
// Products of S^z, S+ and S- on different spins 1/2 as operations on bits. Bit j of a basis state s is 1 if spin j is
// down. A product flips the spins F of its S+ and S-, and acts on states in which these are down and up. With the
// parity P of the spins down among those of its S^z
//
//     product |s> = 2^(-number of S^z) (-1)^|s & P| |s ^ F> if s & F = V, else 0,     P & F = 0
//
// Products that flip the same spins are a group. For H psi the group with the products p is one function of the state
// that it leads to,
//
//     (H psi)(s) = sum_F D_F(s) psi(s ^ F),     D_F(s) = sum_p c_p [s & F = V_p ^ F] (-1)^|s & P_p|
#pragma once

#include <complex>
#include <cstdint>
#include <vector>

#include "models/operators.hpp"

namespace strata::trotter {

/// The states with s & F = value, with the signs of s & parity.
struct SignedSum {
    std::uint64_t value = 0, parity = 0;
    auto operator<=>(const SignedSum&) const = default;
};

struct FlipGroup {
    std::uint64_t flip = 0;
    std::vector<SignedSum> sums;
    std::size_t first = 0;  ///< index of its first sum among those of all groups
};

struct SpinProduct {
    std::uint64_t flip = 0;
    SignedSum sum;      ///< of the states that the product acts on
    double factor = 1;  ///< 2^(-number of S^z)

    explicit SpinProduct(const OperatorProduct& product);
};

/// A sum of products as the functions D_F and a constant, the multiple of 1, which they do not contain.
class FlipTerms {
  public:
    FlipTerms() = default;
    explicit FlipTerms(const OperatorSum& sum);

    bool empty() const { return groups_.empty(); }
    /// Ascending flips; the sums have the values V ^ F.
    const std::vector<FlipGroup>& groups() const { return groups_; }
    /// c_p of the sums of all groups.
    const std::vector<Complex>& coefficients() const { return coefficients_; }
    double constant() const { return constant_; }
    /// A bound of the norm of all but the constant: the sum over F of the largest |D_F|, of which products with different
    /// V are in different states.
    double bound() const;

  private:
    std::vector<FlipGroup> groups_;
    std::vector<Complex> coefficients_;
    double constant_ = 0;
};

}  // namespace strata::trotter
