// SPDX-License-Identifier: BSD-3-Clause
// Sums of products of operators between two sectors of lattice symmetries: an operator may change the character of the
// sector, conserved numbers, or both. It need not be Hermitian, and acts on electrons, too.
#pragma once

#include "lanczos/state/hamiltonian_operator.hpp"
#include "models/operators.hpp"

namespace strata::lanczos {

/// out <- A x. `from` and `to` are operators of sectors of the same group; A leads from the character of the first one to that
/// of the other (spectral_target.hpp). If `out` is real, x and A must be real, too. Collective.
void apply_between_sectors(const OperatorSum& sum, const HamiltonianOperator& from, const DistributedVector& x,
                           const HamiltonianOperator& to, DistributedVector& out);

/// Bytes that it takes on a rank, beside a copy of x and the result in host memory.
std::uint64_t bytes_between_sectors(const OperatorSum& sum, const LanczosPlan& from, const LanczosPlan& to, int rank);

}  // namespace strata::lanczos
