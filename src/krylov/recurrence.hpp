// SPDX-License-Identifier: BSD-3-Clause
// The Lanczos recurrence with two vectors (C. Lanczos, J. Res. NBS 45, 255 (1950)):
//     beta_k v_{k+1} = H v_k - alpha_k v_k - beta_{k-1} v_{k-1},   alpha_k = <v_k, H v_k>
// It stays backward stable (C. C. Paige, Linear Algebra Appl. 34, 235 (1980)) as long as beta_k is known to some
// digits, so that v_{k+1} is normalised and orthogonal to v_k. The sums of the pass that multiplies by H give beta_k^2
// as a difference; where that cancels, beta_k is computed from the vector itself. All solvers use this one
// implementation.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "krylov/hermitian_operator.hpp"

namespace strata::krylov {

/// State of a recurrence between two steps, beside its coefficients.
struct RecurrenceState {
    std::uint64_t steps = 0;      ///< number of steps done
    double start_norm = 0;        ///< norm of the start vector
    double rest = 0;              ///< multiple of v_{k-1} that w still contains
    std::uint64_t exhausted = 0;  ///< 1: the Krylov space of the start vector is invariant, no further step is possible
};

/// Adds the state to a record of a checkpoint.
void add_fields(Record& record, RecurrenceState& state);

/// Makes the vector in op.w(), of any norm, the start vector. The recurrence of a zero vector is exhausted at once.
/// Collective.
void begin_recurrence(HermitianOperator& op, RecurrenceState& state);

/// Step k = state.steps: leaves v_k in op.v() and computes alpha[k] and beta[k], the same on all ranks. The recurrence
/// must not be exhausted. Collective.
void recurrence_step(HermitianOperator& op, RecurrenceState& state, std::span<double> alpha, std::span<double> beta);

}  // namespace strata::krylov
