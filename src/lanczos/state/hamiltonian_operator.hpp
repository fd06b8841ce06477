// SPDX-License-Identifier: BSD-3-Clause
// The Hamiltonian of a sector as an operator of the Krylov solvers. Its vectors are distributed over the ranks by
// blocks of up rows; they and the kernels are in host memory or on devices, in double or single precision
// (host_hamiltonian.hpp, device_hamiltonian.hpp). Tasks and observables are written against this class.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "comm/communicator.hpp"
#include "comm/ordered_sum.hpp"
#include "krylov/hermitian_operator.hpp"
#include "lanczos/state/plan.hpp"
#include "lanczos/state/row_plan.hpp"
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
    /// Memory of the working pair, the tables, the exchange and `vectors` further vectors.
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
    /// Sets this rank's blocks of a subspace, laid out as BlockLayout says, to `from` projected onto the sector of
    /// symmetries.
    virtual void set_blocks(DistributedVector& x, std::size_t subspace, const double* from) const = 0;

    /// Waits until all work on a device is done.
    virtual void finish() {}

  protected:
    void project(const std::vector<DistributedVector>& basis, const DistributedVector& x,
                 std::span<Complex> components) override;

    /// axpby() and dot() on this rank's blocks, with a sum for each tile; a null `out` is not written.
    virtual void axpby_tiles(Complex a, const DistributedVector& x, Complex b, const DistributedVector& y,
                             DistributedVector* out) = 0;
    virtual void dot_tiles(const DistributedVector& x, const DistributedVector& y) = 0;
    /// Stores the parts of <basis[i], x> from each of this rank's blocks, (re, im), in its sums 2 i and 2 i + 1.
    virtual void project_blocks(const std::vector<DistributedVector>& basis, std::size_t count,
                                const DistributedVector& x, OrderedSum& sums) = 0;
    /// Adds up the tile sums of the last multiply(), axpby_tiles() or dot_tiles() to sums of this rank's blocks.
    virtual void collect(OrderedSum& sums) = 0;
    /// Total of the tile sums of the last multiply(), axpby_tiles() or dot_tiles(), added in global order. Also a
    /// barrier, which shared rows need: no rank overwrites v before all have read it. Collective.
    TileSums total();

    /// An array of a checkpoint without the functions that read and write its slabs; `real_bytes`:
    /// size of one real number.
    DistributedArray state_array(const std::string& name, std::size_t subspace, std::size_t real_bytes) const;

    const LanczosPlan& plan_;
    Timers& timers_;
    RowPlan rows_;
    OrderedSum sums_;
    std::unique_ptr<OrderedSum> projections_;  ///< sums for components in a whole basis; null before reserve_basis()
};

/// Function that makes the operator of a plan on the backend that the factory has chosen. Collective; plan and timers
/// must outlive the operator.
using MakeHamiltonian = std::function<std::unique_ptr<HamiltonianOperator>(const LanczosPlan& plan, Timers& timers)>;

}  // namespace strata::lanczos
