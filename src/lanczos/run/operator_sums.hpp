// SPDX-License-Identifier: BSD-3-Clause
// Sums of products of operators that act on vectors of a sector. One that does not leave it is two Hermitian operators,
// O = H1 + i H2 with H1 = (O + O^+) / 2 and H2 = (O - O^+) / 2i, each with tables like those of a Hamiltonian. One that
// leads to another sector has no diagonal, and acts as it stands. In sectors of lattice symmetries of two spin
// components, whose Hamiltonians have no general terms, H1 and H2 act as symmetric_sums.hpp says.
#pragma once

#include <functional>

#include "lanczos/run/symmetric_sums.hpp"
#include "lanczos/state/hamiltonian_operator.hpp"
#include "models/operators.hpp"

namespace strata::lanczos {

/// H1, or H2 of an imaginary part. In real arithmetic an operator acts by its real part alone: its imaginary part has no
/// expectation value in a real state.
OperatorSum hermitian_part(const OperatorSum& o, bool imaginary, Arithmetic arithmetic);
/// Whether sums act by rows (SymmetricSum), since a Hamiltonian of the sector cannot have their terms.
bool acts_by_rows(const LanczosPlan& plan);
/// The terms of a Hermitian sum as a Hamiltonian of the sector has them: none where it acts by rows.
Model model_of_sum(const LanczosPlan& plan, const OperatorSum& hermitian);
/// Bytes of a sum that acts by rows, beside the operator of model_of_sum(), on the rank that needs most.
std::uint64_t bytes_by_rows(const LanczosPlan& plan, const OperatorSum& hermitian);
/// Bytes on the rank that needs most of a Hermitian sum's tables, exchange and working pair.
std::uint64_t sum_bytes(const LanczosPlan& plan, const OperatorSum& hermitian, BackendKind backend);
/// The same for the terms of a model.
std::uint64_t model_bytes(const LanczosPlan& plan, const Model& terms, BackendKind backend);

/// A Hermitian sum as an operator on the vectors of `plan`, allocated. Collective.
class HermitianSum {
  public:
    /// `timers` must outlive it.
    HermitianSum(const LanczosPlan& plan, const OperatorSum& hermitian, const MakeHamiltonian& make, Timers& timers);
    /// The terms of a model on the same sites, of a form that Hamiltonians of the sector may have.
    HermitianSum(const LanczosPlan& plan, const Model& terms, const MakeHamiltonian& make, Timers& timers);

    /// <O> = <x| O |x> / <x|x> and sqrt(<O^2> - <O>^2), which is 0 to about 1e-8 of O in an eigenstate.
    struct Moments {
        double mean, spread;
    };
    /// Collective.
    Moments moments(const DistributedVector& x);
    double mean(const DistributedVector& x) { return moments(x).mean; }
    /// y <- y + factor O x. Collective.
    void add(Complex factor, const DistributedVector& x, krylov::VectorSpace& space, DistributedVector& y);

  private:
    const LanczosPlan plan_;  ///< with the terms of the sum, or with none where it is symmetric_
    const std::unique_ptr<HamiltonianOperator> operator_;
    std::unique_ptr<SymmetricSum> symmetric_;  ///< with two spin components in a sector of symmetries, else null
};

/// A sum of products that leads from the sector of a plan to that of another one, which differs in conserved numbers.
/// It acts on the subspaces of both together, as a Hamiltonian does, and need not be Hermitian.
class ChargedSum {
  public:
    /// `timers` must outlive it. Collective.
    ChargedSum(const LanczosPlan& from, const LanczosPlan& to, const OperatorSum& sum, const MakeHamiltonian& make,
               Timers& timers);
    /// Bytes on the rank that needs most of its tables, exchange and working pair.
    static std::uint64_t bytes(const LanczosPlan& from, const LanczosPlan& to, const OperatorSum& sum,
                               BackendKind backend);

    /// out <- O x. Collective.
    void apply(const HamiltonianOperator& from, const DistributedVector& x, const HamiltonianOperator& to,
               DistributedVector& out);

  private:
    const LanczosPlan plan_;
    const std::unique_ptr<HamiltonianOperator> operator_;
};

/// out <- O x, x of one sector and out of another.
using LinearMap = std::function<void(const DistributedVector& x, DistributedVector& out)>;
/// The map of a sum that leads from the sector of `from` to that of `to`, both of which must outlive it. Collective.
LinearMap sum_between(HamiltonianOperator& from, HamiltonianOperator& to, const OperatorSum& sum,
                      const MakeHamiltonian& make, Timers& timers);

/// y <- O x for any sum of the plan's arithmetic. Collective.
void apply_sum(const OperatorSum& o, const LanczosPlan& plan, const MakeHamiltonian& make, Timers& timers,
               const DistributedVector& x, krylov::VectorSpace& space, DistributedVector& y);

}  // namespace strata::lanczos
