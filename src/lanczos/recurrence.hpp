// SPDX-License-Identifier: BSD-3-Clause
// The Lanczos recurrence with two vectors (C. Lanczos, J. Res. NBS 45, 255 (1950)):
//     beta_k v_{k+1} = H v_k - alpha_k v_k - beta_{k-1} v_{k-1},   alpha_k = v_k . H v_k
// It stays backward stable (C. C. Paige, Linear Algebra Appl. 34, 235 (1980)) as long as beta_k is known to some digits,
// so that v_{k+1} is normalised and orthogonal to v_k. The sums of the pass that multiplies by H give beta_k^2 as a
// difference; where that cancels, beta_k is made from the vector itself. All tasks use this one place.
#pragma once

#include <span>

#include "lanczos/hamiltonian_operator.hpp"

namespace strata::lanczos {

/// What the next step of a recurrence must know beside its coefficients; kept in checkpoints.
struct RecurrenceState {
    double steps = 0;       ///< done
    double start_norm = 0;  ///< of the start vector
    double rest = 0;        ///< multiple of v_{k-1} that w still holds
    double exhausted = 0;   ///< 1: the Krylov space of the start vector is invariant, no further step is possible
};

/// Makes the vector in operator.w(), of any norm, the start vector. A vector without norm is exhausted at once. Collective.
void begin_recurrence(HamiltonianOperator& hamiltonian, RecurrenceState& state);

/// Step k = state.steps: leaves v_k in operator.v() and makes alpha[k] and beta[k]. Not for an exhausted recurrence.
/// Collective; the coefficients are the same on all ranks.
void recurrence_step(HamiltonianOperator& hamiltonian, RecurrenceState& state, std::span<double> alpha,
                     std::span<double> beta);

}  // namespace strata::lanczos
