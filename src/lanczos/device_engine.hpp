// SPDX-License-Identifier: BSD-3-Clause
// The engine on devices: vectors stay there; what a host must see is copied. Rows of other ranks arrive by messages,
// staged through pinned memory or straight from device to device.
#pragma once

#include "comm/device_exchange.hpp"
#include "kernels/lanczos/device_step.hpp"
#include "lanczos/engine.hpp"
#include "strata/queue.hpp"

namespace strata::lanczos {

template <class Real>
class DeviceEngine : public Engine {
  public:
    DeviceEngine(const Communicator& comm, const LanczosPlan& plan, const DeviceBinding& device, Timers& timers);
    ~DeviceEngine() override;

    std::string name() const override { return "cuda " + device_name_ + (sizeof(Real) == 4 ? " single" : ""); }
    MemoryPrediction memory(std::uint64_t vectors) const override;
    void allocate() override;
    Vector vector() const override;
    TileSums multiply(const Recurrence& r) override;
    void draw(Vector& x, std::uint64_t stream) const override;
    void clear(Vector& x) const override;
    void rotate(const std::vector<Vector>& basis, std::size_t count, const std::vector<Complex>& c,
                std::size_t kept) override;
    Blocks blocks(const Vector& x, std::size_t product) const override;
    void set_blocks(Vector& x, std::size_t product, const double* from) const override;
    void add_state(const std::string& name, Vector& x, std::vector<DistributedArray>& arrays) override;
    void finish() override { queue_.wait(); }

  protected:
    void combine_tiles(Complex a, const Vector& x, Complex b, const Vector& y, Vector* out) override;
    void dot_tiles(const Vector& x, const Vector& y) override;
    void project(const std::vector<Vector>& basis, std::size_t count, const Vector& x, BlockSum& sums) override;
    void subtract(const std::vector<Vector>& basis, std::size_t count, const std::vector<Complex>& h,
                  Vector& x) override;
    void collect(BlockSum& sums) override;

  private:
    struct Parts;
    struct Product;
    static Parts& parts(const Vector& x);
    static Real* own(const Vector& x, std::size_t product);
    void start_exchange(std::size_t product);
    void sum_blocks();

    std::string device_name_;
    DeviceRoute route_;
    const DeviceStepKernels<Real>& kernels_;
    Queue<Cuda> queue_;
    std::vector<std::unique_ptr<Product>> products_;
    Buffer<Real, Cuda> columns_;
    Buffer<TileSums, Cuda> tile_sums_, block_sums_;
    Buffer<TileSums, Pinned> host_sums_;
};

}  // namespace strata::lanczos
