// SPDX-License-Identifier: BSD-3-Clause
// The observables of a job's [observables] as sums over basis states, with F, V and P of spin_products.hpp:
//
//     <psi|product|psi> = 2^(-number of S^z) sum_{s: s & F = V} (-1)^|s & P| conj(psi(s ^ F)) psi(s)
//
// Products with equal F, V and P share a sum, sums with equal F a group, whose members need the same products of two
// amplitudes. The sum with V ^ F is the complex conjugate of that with V: only those are kept where the highest spin of
// F is up. The products of H that are no fields and pairs of one axis are summed likewise, for the energy.
#pragma once

#include <complex>
#include <cstdint>
#include <span>
#include <vector>

#include "models/observables.hpp"
#include "trotter/job/config.hpp"
#include "trotter/physics/spin_products.hpp"

namespace strata::trotter {

/// The operators of [observables]. Throws as read_observables() does.
std::vector<OwnObservable> observables_of(const TrotterConfig& config);

class ObservedProducts : public ObservableLists {
  public:
    /// `hidden`: Hermitian sums of which no list is made.
    explicit ObservedProducts(const TrotterConfig& config, const std::vector<OperatorSum>& hidden = {});

    const std::vector<FlipGroup>& groups() const { return groups_; }  ///< ascending flips
    std::size_t sums() const { return sums_; }                        ///< number of sums of all groups
    std::uint64_t bytes() const;                                      ///< of groups and terms
    /// Numbers of all lists, and behind them one for each hidden sum.
    std::size_t numbers() const { return width() + hidden_; }
    std::size_t hidden() const { return hidden_; }
    /// These numbers from the sums of a state with this squared norm.
    std::vector<double> values(std::span<const Complex> sums, double norm_squared) const;

  private:
    ObservedProducts(const TrotterConfig& config, const std::vector<OwnObservable>& observables,
                     const std::vector<OperatorSum>& hidden);

    /// A product of a sum: coefficient times a sum, or times its conjugate.
    struct Term {
        Complex coefficient;
        std::size_t sum = 0;
        bool conjugate = false;
    };
    std::vector<FlipGroup> groups_;
    std::size_t sums_ = 0;
    std::size_t hidden_ = 0;
    std::vector<std::vector<Term>> members_;  ///< of all observables and hidden sums, one after the other
    std::vector<std::size_t> first_member_;   ///< [observable]
};

}  // namespace strata::trotter
