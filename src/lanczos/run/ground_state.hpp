// SPDX-License-Identifier: BSD-3-Clause
// The ground state of a sector by the Lanczos recurrence with two vectors (T. Siro, A. Harju, Exact diagonalization of
// quantum lattice models on coprocessors): its energy, true residual, correlations and, if requested, density matrix.
#pragma once

#include "krylov/ground_state.hpp"
#include "lanczos/run/correlations.hpp"
#include "lanczos/run/entanglement.hpp"
#include "lanczos/run/fidelity.hpp"
#include "lanczos/run/ground_state_report.hpp"
#include "lanczos/run/operator_means.hpp"
#include "lanczos/run/task.hpp"

namespace strata::lanczos {

class GroundState : public LanczosTask, public Remeasured {
  public:
    GroundState(const LanczosPlan& plan, const MakeHamiltonian& make);

    const krylov::GroundStateSolver& solver() const { return solver_; }

    MemoryPrediction memory() const override;
    void allocate() override;
    void initialise() override;
    std::vector<DistributedArray> state() override;
    std::vector<DistributedArray> final_state(const std::vector<ArrayShape>& stored) override;
    std::optional<std::uint64_t> begin_with_final_state(std::uint64_t step) override;
    bool keeps_series() const override { return true; }

    /// Upper bound of the number of steps; it decreases when the energy has converged.
    std::uint64_t total_steps() const override;
    void step(std::uint64_t step) override;
    bool observes(std::uint64_t) const override { return solver_.in_first_pass(); }
    const std::vector<Column>& columns() const override;
    void observe(std::vector<double>& rows) override;
    std::string log_line(std::span<const double> row) const override;
    std::string shortfall() const override;
    std::string remark() const override;
    std::vector<Quantity> results(const Series& series) const override;

  private:
    bool wants_density_matrix() const;
    bool wants_means() const;
    bool wants_fidelity() const;
    void measure_state();

    krylov::GroundStateSolver solver_;
    std::unique_ptr<PairOccupations> pairs_;
    Entanglement entanglement_;
    DensityMatrix density_matrix_;
    OperatorMeans means_;
    Fidelity fidelity_;
};

}  // namespace strata::lanczos
