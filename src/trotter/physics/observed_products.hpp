// SPDX-License-Identifier: BSD-3-Clause
// The observables of a job's observables.file as sums over basis states. Bit j of a basis state s is 1 if spin j is
// down. A product of S^z, S+ and S- on different spins flips the spins F of its S+ and S-, and acts on states in which
// these are down and up. With the parity P of the spins down among those of its S^z
//
//     <psi|product|psi> = 2^(-number of S^z) sum_{s: s & F = V} (-1)^|s & P| conj(psi(s ^ F)) psi(s),    P & F = 0
//
// Products with equal F, V and P share a sum, sums with equal F a group, whose members need the same products of two
// amplitudes. The sum with V ^ F is the complex conjugate of that with V: only those are kept where the highest spin of
// F is up.
#pragma once

#include <complex>
#include <cstdint>
#include <span>
#include <vector>

#include "models/observables.hpp"
#include "trotter/job/config.hpp"

namespace strata::trotter {

/// The sum over the states with s & F = value, with the signs of s & parity.
struct SignedSum {
    std::uint64_t value = 0, parity = 0;
    auto operator<=>(const SignedSum&) const = default;
};

struct FlipGroup {
    std::uint64_t flip = 0;
    std::vector<SignedSum> sums;
    std::size_t first = 0;  ///< index of its first sum among those of all groups
};

/// The operators of observables.file. Throws as read_observables() does.
std::vector<OwnObservable> observables_of(const TrotterConfig& config);

class ObservedProducts : public ObservableLists {
  public:
    explicit ObservedProducts(const TrotterConfig& config);

    const std::vector<FlipGroup>& groups() const { return groups_; }  ///< ascending flips
    std::size_t sums() const { return sums_; }                        ///< number of sums of all groups
    std::uint64_t bytes() const;                                      ///< of groups and terms
    /// The numbers of all lists from the sums of a state with this squared norm.
    std::vector<double> values(std::span<const Complex> sums, double norm_squared) const;

  private:
    ObservedProducts(const TrotterConfig& config, const std::vector<OwnObservable>& observables);

    /// A product of a sum: coefficient times a sum, or times its conjugate.
    struct Term {
        Complex coefficient;
        std::size_t sum = 0;
        bool conjugate = false;
    };
    std::vector<FlipGroup> groups_;
    std::size_t sums_ = 0;
    std::vector<std::vector<Term>> members_;  ///< of all observables, one after the other
    std::vector<std::size_t> first_member_;   ///< [observable]
};

}  // namespace strata::trotter
