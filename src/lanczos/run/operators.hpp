// SPDX-License-Identifier: BSD-3-Clause
// Operators sum_j w_j a_j on a state, row by row, without communication.
#pragma once

#include <vector>

#include "lanczos/state/hamiltonian_operator.hpp"

namespace strata::lanczos {

/// out := sum_j w_j a_j x. `out` is a vector of `to`, whose sector has one down particle less or more than that of
/// `from` for removal and addition, and in a sector of symmetries the character that the weights lead to
/// (spectral_target.hpp). If `out` is real, x and the weights must be real, too.
void apply_operator(SpectralOperator op, const std::vector<Complex>& weights, const HamiltonianOperator& from,
                    const DistributedVector& x, const HamiltonianOperator& to, DistributedVector& out);

/// out := the state with these sites occupied, one bit each; in a sector of symmetries its projection, normalised, up
/// to a phase. Throws Error(bad_input) on all ranks if the projection is 0. Collective.
void set_state(HamiltonianOperator& hamiltonian, std::uint64_t up, std::uint64_t down, DistributedVector& out);

}  // namespace strata::lanczos
