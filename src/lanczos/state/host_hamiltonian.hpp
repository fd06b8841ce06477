// SPDX-License-Identifier: BSD-3-Clause
// The Hamiltonian on the CPU, by OpenMP and vector instructions. The ranks of a node read each other's rows in place;
// rows of other nodes arrive by messages, or panels are transposed (transposed_hopping.hpp).
#pragma once

#include "lanczos/state/hamiltonian_operator.hpp"
#include "lanczos/state/transposed_hopping.hpp"

namespace strata::lanczos {

template <class Real>
class HostHamiltonian : public HamiltonianOperator {
  public:
    HostHamiltonian(const Communicator& comm, const LanczosPlan& plan, Timers& timers);

    std::string name() const override;
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
    static Real* own(const DistributedVector& x, std::size_t subspace);
    static Real* local_rows(const DistributedVector& x, std::size_t subspace);  ///< row with local index 0
    template <class Pointer>
    static std::vector<Pointer> all_own(const std::vector<DistributedVector>& basis, std::size_t count,
                                        std::size_t subspace);
    void start_exchange(std::size_t subspace);
    void project_onto_sector(DistributedVector& x) const;

    const StepKernels<Real>& kernels_;
    std::unique_ptr<TransposedHopping<Real>> transposed_;
    std::vector<TileSums> tiles_;
    std::uint64_t scratch_reals_ = 0;  ///< reals of scratch memory per thread
    mutable Buffer<Real> scratch_;
};

}  // namespace strata::lanczos
