// SPDX-License-Identifier: BSD-3-Clause
// The target Hamiltonian C as an operator of the Krylov solvers (krylov/hermitian_operator.hpp). Vectors are
// distributed over the ranks by columns, which are the segments of their space. Tasks use this class; the product is
// that of host_operator.hpp on the CPU, of device_operator.hpp on devices.
#pragma once

#include <string>

#include "krylov/backend_space.hpp"
#include "krylov/hermitian_operator.hpp"
#include "strata/timer.hpp"
#include "superblock/multiply_plan.hpp"

namespace strata::superblock {

using krylov::Complex;
using krylov::DistributedVector;

class TargetOperator : public krylov::HermitianOperator {
  public:
    /// `seed`: of random vectors. `comm`, `plan` and `timers` must outlive the object.
    TargetOperator(const Communicator& comm, const MultiplyPlan& plan, std::uint64_t seed, Timers& timers);

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

    krylov::PairProducts multiply(const krylov::StepFactors& factors) override;
    krylov::PairProducts apply(const DistributedVector& x) override;
    /// w <- C v. Collective; v must not change before another collective call.
    void product();
    void draw(DistributedVector& x, std::uint64_t stream) override;
    void add_state(const std::string& name, DistributedVector& x, std::vector<DistributedArray>& arrays) override;

  protected:
    /// w <- w + C v. Collective.
    virtual void add_product() = 0;
    /// The columns as segments.
    krylov::SpaceLayout space_layout() const;

    const MultiplyPlan& plan_;
    const std::uint64_t seed_;
    Timers& timers_;
};

}  // namespace strata::superblock
