// SPDX-License-Identifier: BSD-3-Clause
// Expectation values of a state, complex numbers where it has an imaginary part, and the weights of its density matrices.
#pragma once

#include <complex>
#include <optional>

#include "dmrg/run/measurement.hpp"
#include "strata/timer.hpp"

namespace strata::dmrg {

class ExpectationValues {
  public:
    /// `chain`: a state of a real H, or one in the complex form (chain_state.hpp) with its complex tensor at site 0.
    ExpectationValues(const Model& model, const Algebra& algebra, const ChainState& chain);

    /// Real parts, which are the values of operators that are symmetric matrices.
    const Measurement& real() const { return real_; }
    Measurement::Energies energies(const std::vector<Bond>& bonds) const;
    std::vector<std::complex<double>> products(const std::vector<OperatorProduct>& products) const;
    /// Imaginary parts of Measurement::pairs(), of a complex state.
    std::vector<double> imaginary_pairs(const Channel& channel, const std::vector<std::pair<int, int>>& sites) const {
        return imaginary_->pairs(channel, sites);
    }
    /// Eigenvalues of the density matrix of the sites to the right of a bond, a Hermitian matrix for every charge; their order
    /// has no meaning.
    std::vector<double> weights(int bond) const;

  private:
    Measurement real_;
    std::optional<Measurement> imaginary_;  ///< imaginary parts; none of a real state
};

/// The expectation values of a real state whose centre is at bond 0. Collective.
ExpectationValues expectation_values(const Communicator& comm, const Algebra& algebra, Timers& timers,
                                     const ChainState& chain);

}  // namespace strata::dmrg
