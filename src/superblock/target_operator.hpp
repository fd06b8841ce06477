// SPDX-License-Identifier: BSD-3-Clause
// The target Hamiltonian C as an operator of the Krylov solvers (krylov/hermitian_operator.hpp). Vectors are
// distributed over the ranks by columns. Tasks use this class; host_operator.hpp implements it on the CPU,
// device_operator.hpp on devices.
#pragma once

#include <functional>
#include <memory>

#include "krylov/hermitian_operator.hpp"
#include "strata/timer.hpp"
#include "superblock/multiply_plan.hpp"

namespace strata::kronecker {

using krylov::Complex;
using krylov::DistributedVector;

class TargetOperator : public krylov::HermitianOperator {
  public:
    /// `comm`, `plan` and `timers` must outlive the object.
    TargetOperator(const Communicator& comm, const MultiplyPlan& plan, Timers& timers);

    const MultiplyPlan& plan() const { return plan_; }
    virtual std::string name() const = 0;  ///< e.g. "cpu avx512"
    virtual bool on_device() const { return false; }
    /// Memory of the operators, the working pair and `vectors` more vectors.
    virtual MemoryPrediction memory(std::uint64_t vectors) const = 0;
    /// A line on the way in which patches of other ranks are read; empty with one rank.
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
    /// A vector as an array of a checkpoint, one row per column of a patch; the members `read` and `write` are not set.
    DistributedArray state_array(const std::string& name, std::size_t real_bytes) const;
    /// Index of the slab's first element in this rank's part of the vector.
    std::uint64_t slab_begin(const ArraySlab& slab) const;

    const MultiplyPlan& plan_;
    Timers& timers_;
};

/// Makes the operator of a plan on the backend that the factory has chosen; allocate() packs its operators. Plan,
/// operators and timers must outlive the result. Collective.
using MakeOperator = std::function<std::unique_ptr<TargetOperator>(const MultiplyPlan& plan,
                                                                   const OperatorSource& operators, Timers& timers)>;

}  // namespace strata::kronecker
