// SPDX-License-Identifier: BSD-3-Clause
// Sums of products of operators between two sectors of lattice symmetries: an operator may change the character of the
// sector, conserved numbers, or both. It need not be Hermitian, and acts on electrons, too.
#pragma once

#include <memory>

#include "lanczos/state/hamiltonian_operator.hpp"
#include "models/operators.hpp"

namespace strata::lanczos {

/// A sum of products A from the sector of `from` to that of `to`, which have the same group; A leads from the character of
/// the first one to that of the other (spectral_target.hpp).
class SymmetricSum {
  public:
    /// `from` and `to` must outlive it.
    SymmetricSum(const OperatorSum& sum, const HamiltonianOperator& from, const HamiltonianOperator& to);
    ~SymmetricSum();
    /// Bytes that it takes on a rank, beside a copy of x and the result in host memory.
    static std::uint64_t bytes(const OperatorSum& sum, const LanczosPlan& from, const LanczosPlan& to, int rank);

    /// out <- A x. If `out` is real, x and A must be real, too. Collective.
    void apply(const DistributedVector& x, DistributedVector& out);

  private:
    class Rows;
    const HamiltonianOperator &from_, &to_;
    const std::unique_ptr<const Rows> rows_;
    Buffer<double> result_;
};

}  // namespace strata::lanczos
