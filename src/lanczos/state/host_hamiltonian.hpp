// SPDX-License-Identifier: BSD-3-Clause
// The Hamiltonian on the CPU, by OpenMP and vector instructions. The ranks of a node read each other's rows in place;
// rows of other nodes arrive by messages, or panels are transposed (transposed_hopping.hpp).
#pragma once

#include "comm/whole_vector.hpp"
#include "lanczos/state/hamiltonian_operator.hpp"
#include "lanczos/state/transposed_hopping.hpp"

namespace strata::lanczos {

template <class Real>
class HostHamiltonian : public HamiltonianOperator {
  public:
    HostHamiltonian(const Communicator& comm, const LanczosPlan& plan, Timers& timers);

    std::string name() const override;
    MemoryPrediction memory(std::uint64_t vectors) const override;
    krylov::VectorSpace& space() override { return space_; }
    void allocate() override;
    PairProducts multiply(const krylov::StepFactors& factors) override;
    /// In certified jobs by products and sums of doubles, with which only the elements of x have been rounded before.
    krylov::RayleighQuotient quotient(const DistributedVector& x, double guess) override;
    double quotient_rounding() const override { return quotient_rounding_; }
    void draw_from(Distribution distribution, DistributedVector& x, std::uint64_t stream) override;

  private:
    using Space = krylov::BackendSpace<Cpu, Real>;
    static Real* local_rows(const DistributedVector& x, std::size_t subspace);  ///< row with local index 0
    /// The rows that H_up reads: local ones of v, or those of its copy.
    const Real* read_rows(std::size_t subspace) const;
    void start_exchange(const DistributedVector& x, std::size_t subspace);
    void finish_exchange();
    void multiply_in_doubles(std::size_t subspace, double energy);

    const StepKernels<Real>& kernels_;
    std::unique_ptr<TransposedHopping<Real>> transposed_;
    std::unique_ptr<WholeVector> whole_;  ///< where RowPlan::copies_whole()
    Space space_;
    std::uint64_t scratch_reals_ = 0;  ///< reals of scratch memory per thread
    Buffer<Real> scratch_;
    Buffer<double> wide_scratch_;  ///< certified jobs alone
    double quotient_rounding_ = INFINITY;
};

}  // namespace strata::lanczos
