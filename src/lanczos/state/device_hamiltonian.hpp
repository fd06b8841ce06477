// SPDX-License-Identifier: BSD-3-Clause
// The Hamiltonian on devices: vectors stay in device memory, and sums and observables are copied to the host. Rows of
// other ranks are received as messages, staged through pinned memory or directly from device to device.
#pragma once

#include "comm/device_binding.hpp"
#include "comm/device_exchange.hpp"
#include "kernels/lanczos/device_step.hpp"
#include "lanczos/state/hamiltonian_operator.hpp"
#include "strata/queue.hpp"

namespace strata::lanczos {

template <class Real>
class DeviceHamiltonian : public HamiltonianOperator {
  public:
    DeviceHamiltonian(const Communicator& comm, const LanczosPlan& plan, const DeviceBinding& device, Timers& timers);
    ~DeviceHamiltonian() override;

    std::string name() const override { return "cuda " + device_name_ + (sizeof(Real) == 4 ? " single" : ""); }
    MemoryPrediction memory(std::uint64_t vectors) const override;
    krylov::VectorSpace& space() override { return space_; }
    void allocate() override;
    PairProducts multiply(const krylov::StepFactors& factors) override;
    void draw_from(Distribution distribution, DistributedVector& x, std::uint64_t stream) override;
    void finish() const override { queue_.wait(); }

  private:
    using Space = krylov::BackendSpace<Cuda, Real>;
    struct Subspace;
    void start_exchange(std::size_t subspace);

    std::string device_name_;
    DeviceRoute route_;
    const DeviceStepKernels<Real>& kernels_;
    Queue<Cuda> queue_;
    Space space_;
    std::vector<std::unique_ptr<Subspace>> subspaces_;
    Buffer<Real, Cuda> columns_;
};

}  // namespace strata::lanczos
