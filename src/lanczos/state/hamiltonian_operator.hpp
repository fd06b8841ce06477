// SPDX-License-Identifier: BSD-3-Clause
// The Hamiltonian of a sector as an operator of the Krylov solvers. Its vectors are distributed over the ranks by
// blocks of up rows; they and the kernels are in host memory or on devices, in double or single precision
// (host_hamiltonian.hpp, device_hamiltonian.hpp). Tasks and observables are written against this class.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "comm/communicator.hpp"
#include "kernels/lanczos/start_vector.hpp"
#include "krylov/backend_space.hpp"
#include "krylov/hermitian_operator.hpp"
#include "lanczos/state/plan.hpp"
#include "lanczos/state/row_plan.hpp"
#include "strata/buffer.hpp"
#include "strata/memory.hpp"
#include "strata/timer.hpp"

namespace strata::lanczos {

using krylov::DistributedVector;
using krylov::PairProducts;

/// Kernels write the sums of a tile as those of a segment.
static_assert(sizeof(TileSums) == krylov::step_sums * sizeof(double));

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

    /// x <- random numbers of this distribution, which depend on the global index and on `stream`, projected onto the
    /// sector of symmetries.
    virtual void draw_from(Distribution distribution, DistributedVector& x, std::uint64_t stream) = 0;
    void draw(DistributedVector& x, std::uint64_t stream) override { draw_from(Distribution::uniform, x, stream); }

    double dimension() const override { return plan_.dimension(); }
    double offset() const override { return sector().offset(); }
    double constant() const override { return sector().constant(); }
    double least_coupling() const override { return sector().model().least_hop(); }
    double least_scale() const override;

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
    Blocks blocks(const DistributedVector& x, std::size_t subspace) const;
    /// Sets this rank's blocks of a subspace, laid out as BlockLayout says, to `from` projected onto the sector of
    /// symmetries.
    void set_blocks(DistributedVector& x, std::size_t subspace, const double* from) const;
    void add_state(const std::string& name, DistributedVector& x, std::vector<DistributedArray>& arrays) override;

    /// Waits until all work on a device is done.
    virtual void finish() const {}

  protected:
    /// The tiles of all subspaces as segments.
    krylov::SpaceLayout space_layout() const;

    /// An array of a checkpoint without the functions that read and write its slabs.
    DistributedArray state_array(const std::string& name, std::size_t subspace) const;

    const LanczosPlan& plan_;
    Timers& timers_;
    RowPlan rows_;
};

/// Function that makes the operator of a plan on the backend that the factory has chosen. Collective; plan and timers
/// must outlive the operator.
using MakeHamiltonian = std::function<std::unique_ptr<HamiltonianOperator>(const LanczosPlan& plan, Timers& timers)>;

}  // namespace strata::lanczos
