// SPDX-License-Identifier: BSD-3-Clause
// The engine on the CPU. The ranks of a node read each other's rows in place.
#pragma once

#include "lanczos/engine.hpp"
#include "lanczos/turned_hops.hpp"

namespace strata::lanczos {

template <class Real>
class HostEngine : public Engine {
  public:
    HostEngine(const Communicator& comm, const LanczosPlan& plan, Timers& timers);

    std::string name() const override;
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

  protected:
    void combine_tiles(Complex a, const Vector& x, Complex b, const Vector& y, Vector* out) override;
    void dot_tiles(const Vector& x, const Vector& y) override;
    void project(const std::vector<Vector>& basis, std::size_t count, const Vector& x, OrderedSum& sums) override;
    void subtract(const std::vector<Vector>& basis, std::size_t count, const std::vector<Complex>& h,
                  Vector& x) override;

    void collect(OrderedSum& sums) override;

  private:
    struct Parts;
    static Real* own(const Vector& x, std::size_t product);
    static Real* reach(const Vector& x, std::size_t product);  ///< first of the rows in reach
    template <class Pointer>
    static std::vector<Pointer> all_own(const std::vector<Vector>& basis, std::size_t count, std::size_t product);
    void start_exchange(std::size_t product);

    const StepKernels<Real>& kernels_;
    std::unique_ptr<TurnedHops<Real>> turned_;
    std::vector<TileSums> tiles_;
    std::uint64_t scratch_reals_ = 0;  ///< per thread
    Buffer<Real> scratch_;
};

}  // namespace strata::lanczos
