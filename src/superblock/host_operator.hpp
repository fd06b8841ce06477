// SPDX-License-Identifier: BSD-3-Clause
// The target Hamiltonian on the CPU, with vectors and operators in double or single precision.
#pragma once

#include <string>

#include "superblock/host_product.hpp"
#include "superblock/target_operator.hpp"

namespace strata::superblock {

struct HostOptions {
    std::string simd = "auto";           ///< instruction set of the kernels
    std::uint64_t seed = 1;              ///< seed of random vectors
    Sharing sharing = Sharing::allowed;  ///< tests forbid it, so that ranks of a node exchange messages
};

template <class Real>
class HostOperator : public TargetOperator {
  public:
    /// As TargetOperator; `operators` must outlive the object, too. Collective.
    HostOperator(const Communicator& comm, const MultiplyPlan& plan, const OperatorSource& operators,
                 const HostOptions& options, Timers& timers);

    std::string name() const override;
    MemoryPrediction memory(std::uint64_t vectors) const override;
    std::string exchange_description() const override;
    double processor_seconds() const override { return product_.processor_seconds(); }

    krylov::VectorSpace& space() override { return space_; }
    void allocate() override;

    /// This rank's elements of a vector.
    static Real* elements(const DistributedVector& x) { return Space::own(x); }

  protected:
    void add_product() override;

  private:
    using Space = krylov::BackendSpace<Cpu, Real>;

    const OperatorSource& operators_;
    Node node_;
    HostProduct<Real> product_;
    Space space_;
};

}  // namespace strata::superblock
