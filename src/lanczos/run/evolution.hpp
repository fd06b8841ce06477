// SPDX-License-Identifier: BSD-3-Clause
// Time evolution of a product state, psi(t + dt) = exp(-i H dt) psi(t), in Krylov spaces (krylov/exponential.hpp, with
// the bound of its error). A step of the run is one multiplication by H; observables of the job take one for every row. In a sector of lattice symmetries the initial
// state is the normalised projection of the product state onto the sector.
#pragma once

#include "krylov/exponential.hpp"
#include "lanczos/run/correlations.hpp"
#include "lanczos/run/operator_means.hpp"
#include "lanczos/run/task.hpp"

namespace strata::lanczos {

class Evolution : public LanczosTask {
  public:
    Evolution(const LanczosPlan& plan, const MakeHamiltonian& make);

    std::vector<std::string> description() const override;
    void allocate() override;
    void initialise() override;
    std::vector<DistributedArray> state() override;
    void restored(std::uint64_t step) override;

    /// Multiplications done, and an estimate of those that remain if pieces of time stay as long as the last one.
    std::uint64_t total_steps() const override;
    void step(std::uint64_t step) override;
    bool observes_start() const override { return true; }
    bool observes(std::uint64_t) const override { return s_.rows_due > s_.rows; }
    const std::vector<Column>& columns() const override { return columns_; }
    void observe(std::vector<double>& rows) override;
    std::string broken_invariant(std::span<const double> row) const override;
    std::vector<Quantity> results(const Series& series) const override;

  private:
    struct State {
        std::uint64_t rows = 0;      ///< number of rows observed
        std::uint64_t rows_due = 1;  ///< number of rows whose time the state has reached, the start included
        double done = 0;             ///< time since the last row that was due
        double piece = 0;            ///< length of the last piece of time
        double error = 0;            ///< bound of |psi - exact psi|
    };
    void set_first_state(krylov::DistributedVector& out);

    krylov::KrylovExponential exponential_;
    OperatorMeans means_;
    const std::vector<Column> columns_;
    krylov::DistributedVector psi_, first_;
    std::uint64_t steps_ = 0;
    State s_;
    std::unique_ptr<PairOccupations> pairs_;
};

}  // namespace strata::lanczos
