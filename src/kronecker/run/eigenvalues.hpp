// SPDX-License-Identifier: BSD-3-Clause
// The task that computes the lowest states of C by the shared solver (krylov/lowest_states.hpp). A state counts as
// converged only if its true residual, not an estimate, is below the tolerance.
#pragma once

#include "kronecker/run/task.hpp"
#include "krylov/lowest_states.hpp"

namespace strata::kronecker {

class Eigenvalues : public KroneckerTask {
  public:
    Eigenvalues(const Communicator& comm, const KroneckerPlan& plan, const MakeOperator& make);

    void allocate() override;
    void initialise() override { solver_.initialise(); }
    std::vector<DistributedArray> state() override;
    void restored(std::uint64_t) override {}

    /// Steps of the search, plus, when the states have been found, one step per state that computes its true residual.
    std::uint64_t total_steps() const override;
    std::string step_name() const override { return "steps"; }
    void step(std::uint64_t step) override;
    bool observes(std::uint64_t step) const override { return step < solver_.search_steps(); }
    const std::vector<Column>& columns() const override { return columns_; }
    void observe(std::vector<double>& rows) override;
    std::string shortfall() const override;
    std::string remark() const override;
    std::vector<Quantity> results(const Series& series) const override;
    /// Rate of whole steps, including the linear algebra of the solver.
    std::vector<Figure> performance(std::uint64_t steps, double seconds) const override { return rate(steps, seconds); }

  private:
    bool converged() const;

    krylov::LowestStatesSolver solver_;
    std::vector<Column> columns_;
};

}  // namespace strata::kronecker
