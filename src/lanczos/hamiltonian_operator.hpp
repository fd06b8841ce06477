// SPDX-License-Identifier: BSD-3-Clause
// The Hamiltonian of a sector as an operator of the Krylov solvers. Its vectors are spread over the ranks by blocks of
// up rows; they and the kernels are in host memory or on devices, in double or single precision (host_hamiltonian.hpp,
// device_hamiltonian.hpp). Tasks and observables are written against this class.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "comm/communicator.hpp"
#include "comm/ordered_sum.hpp"
#include "krylov/hermitian_operator.hpp"
#include "lanczos/plan.hpp"
#include "lanczos/row_plan.hpp"
#include "strata/buffer.hpp"
#include "strata/memory.hpp"
#include "strata/timer.hpp"

namespace strata::lanczos {

using krylov::DistributedVector;
using krylov::PairProducts;

class HamiltonianOperator : public krylov::HermitianOperator {
  public:
    /// `comm`, `plan` and `timers` must outlive it. Collective.
    HamiltonianOperator(const Communicator& comm, const LanczosPlan& plan, Sharing sharing, PanelTranspose transpose,
                        Timers& timers);

    const LanczosPlan& plan() const { return plan_; }
    const Sector& sector() const { return plan_.sector(); }
    std::string exchange_description() const { return rows_.exchange_description(); }
    virtual std::string name() const = 0;  ///< e.g. "cpu avx512"
    /// Memory of the working pair, the tables, the exchange and `vectors` more.
    virtual MemoryPrediction memory(std::uint64_t vectors) const = 0;

    double dimension() const override { return plan_.dimension(); }
    double offset() const override { return sector().offset(); }
    double constant() const override { return sector().constant(); }
    double least_coupling() const override { return sector().model().least_hop(); }
    krylov::Precision precision() const override { return plan_.config().precision; }
    double least_scale() const override;

    void reserve_basis(std::size_t count) override;
    void axpby(Complex a, const DistributedVector& x, Complex b, const DistributedVector& y,
               DistributedVector& out) override {
        axpby_tiles(a, x, b, y, &out);
    }
    double axpby_norm(Complex a, const DistributedVector& x, Complex b, const DistributedVector& y,
                      DistributedVector* out) override;
    Complex dot(const DistributedVector& x, const DistributedVector& y) override;

    /// This rank's blocks of a subspace as doubles, laid out as BlockLayout says: a copy, or the vector itself.
    class Blocks {
      public:
        explicit Blocks(const double* data) : data_(data) {}
        explicit Blocks(Buffer<double> copy) : copy_(std::move(copy)), data_(copy_.data()) {}
        const double* data() const { return data_; }

      private:
        Buffer<double> copy_;
        const double* data_;
    };
    virtual Blocks blocks(const DistributedVector& x, std::size_t subspace) const = 0;
    /// The projection onto the sector of symmetries of what is given.
    virtual void set_blocks(DistributedVector& x, std::size_t subspace, const double* from) const = 0;

    /// Returns when all work on a device is done.
    virtual void finish() {}

  protected:
    void project(const std::vector<DistributedVector>& basis, const DistributedVector& x,
                 std::span<Complex> components) override;

    virtual void axpby_tiles(Complex a, const DistributedVector& x, Complex b, const DistributedVector& y,
                             DistributedVector* out) = 0;
    virtual void dot_tiles(const DistributedVector& x, const DistributedVector& y) = 0;
    /// <basis[i], x> of this rank's blocks, re and im, to the first 2 count sums of each block.
    virtual void project_blocks(const std::vector<DistributedVector>& basis, std::size_t count,
                                const DistributedVector& x, OrderedSum& sums) = 0;
    /// The sums of this rank's blocks that multiply, axpby_tiles or dot_tiles computed last.
    virtual void collect(OrderedSum& sums) = 0;
    /// What multiply, axpby_tiles or dot_tiles left for each tile, summed in global order. Also a barrier, which shared
    /// rows need: no rank overwrites v before all have read it. Collective.
    TileSums total();

    /// An array of a checkpoint without the functions that move its slabs; `real_bytes`: of one real number.
    DistributedArray state_array(const std::string& name, std::size_t subspace, std::size_t real_bytes) const;

    const LanczosPlan& plan_;
    Timers& timers_;
    RowPlan rows_;
    OrderedSum sums_;
    std::unique_ptr<OrderedSum> projections_;  ///< components along a whole basis
};

/// Makes the operator of a plan where the factory has chosen that operators run. Collective; plan and timers must
/// outlive the operator.
using MakeHamiltonian = std::function<std::unique_ptr<HamiltonianOperator>(const LanczosPlan& plan, Timers& timers)>;

}  // namespace strata::lanczos
