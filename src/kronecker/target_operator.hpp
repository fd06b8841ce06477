// SPDX-License-Identifier: BSD-3-Clause
// The target Hamiltonian C as an operator of the Krylov solvers (krylov/hermitian_operator.hpp). Vectors are spread over
// the ranks by columns. Tasks are written against this class; host_operator.hpp implements it on the CPU,
// device_operator.hpp on devices.
#pragma once

#include <functional>
#include <memory>

#include "kronecker/multiply_plan.hpp"
#include "krylov/hermitian_operator.hpp"
#include "strata/timer.hpp"

namespace strata::kronecker {

using krylov::Complex;
using krylov::DistributedVector;

class TargetOperator : public krylov::HermitianOperator {
  public:
    /// `comm`, `plan` and `timers` must outlive it.
    TargetOperator(const Communicator& comm, const MultiplyPlan& plan, Timers& timers);

    const MultiplyPlan& plan() const { return plan_; }
    virtual std::string name() const = 0;  ///< e.g. "cpu avx512"
    virtual bool on_device() const { return false; }
    /// Memory of the working pair, the operators and `vectors` more.
    virtual MemoryPrediction memory(std::uint64_t vectors) const = 0;
    /// How patches of other ranks are read, as a line of the description; empty with one rank.
    virtual std::string exchange_description() const = 0;
    /// Processor time of this rank in products so far; 0 on devices.
    virtual double processor_seconds() const { return 0; }

    double dimension() const override { return static_cast<double>(plan_.layout().elements()); }
    double offset() const override { return 0; }

    /// w <- C v. Collective; v must not change before another collective call.
    virtual void product() = 0;
    /// Sum of the elements. Collective.
    virtual double sum(const DistributedVector& x) = 0;

  protected:
    /// A vector as an array of a checkpoint, one row per column of a patch, without read and write.
    DistributedArray state_array(const std::string& name, std::size_t real_bytes) const;
    /// Where the elements of a slab of that array begin among this rank's.
    std::uint64_t slab_begin(const ArraySlab& slab) const;

    const MultiplyPlan& plan_;
    Timers& timers_;
};

/// Makes the operator of a plan where the factory has chosen that it runs, with its operators packed by allocate().
/// Collective; plan, operators and timers must outlive it.
using MakeOperator = std::function<std::unique_ptr<TargetOperator>(const MultiplyPlan& plan,
                                                                   const OperatorSource& operators, Timers& timers)>;

}  // namespace strata::kronecker
