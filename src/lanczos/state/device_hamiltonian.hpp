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
    void allocate() override;
    DistributedVector vector() const override;
    PairProducts multiply(const krylov::StepFactors& factors) override;
    void draw(DistributedVector& x, std::uint64_t stream) const override;
    void clear(DistributedVector& x) const override;
    void rotate(const std::vector<DistributedVector>& basis, std::size_t count, const std::vector<Complex>& c,
                std::size_t kept) override;
    Blocks blocks(const DistributedVector& x, std::size_t subspace) const override;
    void set_blocks(DistributedVector& x, std::size_t subspace, const double* from) const override;
    void add_state(const std::string& name, DistributedVector& x, std::vector<DistributedArray>& arrays) override;
    void finish() override { queue_.wait(); }

  protected:
    void axpby_tiles(Complex a, const DistributedVector& x, Complex b, const DistributedVector& y,
                     DistributedVector* out) override;
    void dot_tiles(const DistributedVector& x, const DistributedVector& y) override;
    void project_blocks(const std::vector<DistributedVector>& basis, std::size_t count, const DistributedVector& x,
                        OrderedSum& sums) override;
    void subtract(const std::vector<DistributedVector>& basis, std::span<const Complex> components,
                  DistributedVector& x) override;
    void collect(OrderedSum& sums) override;

  private:
    struct Parts;
    struct Subspace;
    static Parts& parts(const DistributedVector& x);
    static Real* own(const DistributedVector& x, std::size_t subspace);
    void start_exchange(std::size_t subspace);
    void project_onto_sector(const DistributedVector& x) const;
    void sum_blocks();

    std::string device_name_;
    DeviceRoute route_;
    const DeviceStepKernels<Real>& kernels_;
    Queue<Cuda> queue_;
    std::vector<std::unique_ptr<Subspace>> subspaces_;
    Buffer<Real, Cuda> columns_;
    Buffer<TileSums, Cuda> tile_sums_, block_sums_;
    Buffer<TileSums, Pinned> host_sums_;
};

}  // namespace strata::lanczos
