// SPDX-License-Identifier: BSD-3-Clause
// Time evolution of a state (initial_state.hpp): psi(t + dt) = exp(-i H dt) psi(t) in Krylov spaces
// (krylov/exponential.hpp), or that of a driven H(t) (drive.hpp) by Taylor series (krylov/driven_exponential.hpp), both with
// a bound of the error. A step of the run is one multiplication by H(t) or, while the initial state is searched for, by its
// Hamiltonian; observables of the job take one for every row.
#pragma once

#include "lanczos/run/correlations.hpp"
#include "lanczos/run/drive.hpp"
#include "lanczos/run/entanglement.hpp"
#include "lanczos/run/initial_state.hpp"
#include "lanczos/run/operator_means.hpp"
#include "lanczos/run/task.hpp"

namespace strata::lanczos {

class Evolution : public LanczosTask, public Remeasured {
  public:
    Evolution(const LanczosPlan& plan, const MakeHamiltonian& make);

    std::vector<std::string> description() const override;
    MemoryPrediction memory() const override;
    void allocate() override;
    void initialise() override;
    std::vector<DistributedArray> state() override;
    void restored(std::uint64_t step) override;
    std::vector<DistributedArray> final_state(const std::vector<ArrayShape>& stored) override;
    std::optional<std::uint64_t> begin_with_final_state(std::uint64_t step) override;
    bool observes_final_state() const override { return observes(0); }

    /// Multiplications done, and an estimate of those that remain if pieces of time stay as long as the last one.
    std::uint64_t total_steps() const override;
    void step(std::uint64_t step) override;
    bool observes_start() const override { return !initial_.is_searched(); }
    bool observes(std::uint64_t) const override { return s_.rows_due > s_.rows; }
    const std::vector<Column>& columns() const override { return columns_; }
    void observe(std::vector<double>& rows) override;
    std::string broken_invariant(std::span<const double> row) const override;
    std::string shortfall() const override { return initial_.shortfall(); }
    std::string remark() const override { return initial_.is_searched() ? of_sector(initial_.remark()) : ""; }
    std::vector<Quantity> results(const Series& series) const override;

  private:
    struct State {
        std::uint64_t rows = 0;      ///< number of rows observed
        std::uint64_t rows_due = 0;  ///< number of rows whose time the state has reached, the start included
        double done = 0;             ///< time since the last row that was due
        double piece = 0;            ///< length of the last piece of time
        double error = 0;            ///< bound of |psi - exact psi|
        double first_energy = 0;     ///< that of time 0, of a driven evolution
    };
    bool started() const { return s_.rows_due > 0; }
    void begin();
    double time() const;
    double largest_drive() const override { return drive_ == nullptr ? 0 : drive_->bound(); }

    const std::unique_ptr<Drive> drive_;  ///< null if H is constant
    const std::unique_ptr<krylov::Propagator> propagator_;
    OperatorMeans means_;
    InitialState initial_;
    Entanglement entanglement_;
    const std::vector<Column> columns_;
    krylov::DistributedVector psi_, first_;
    std::uint64_t steps_ = 0;
    State s_;
    std::unique_ptr<PairOccupations> pairs_;
};

}  // namespace strata::lanczos
