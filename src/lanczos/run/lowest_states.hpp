// SPDX-License-Identifier: BSD-3-Clause
// Several lowest states of a sector (krylov/lowest_states.hpp): their energies, true residuals, expectation values as
// averages over the multiplet of the lowest energy, and those of the job's observables in every state, as averages over
// its level.
#pragma once

#include "krylov/lowest_states.hpp"
#include "lanczos/run/correlations.hpp"
#include "lanczos/run/entanglement.hpp"
#include "lanczos/run/matrix_elements.hpp"
#include "lanczos/run/task.hpp"

namespace strata::lanczos {

class LowestStates : public LanczosTask, public Remeasured {
  public:
    LowestStates(const LanczosPlan& plan, const MakeHamiltonian& make);

    /// Number of vectors in the basis of the search.
    static std::uint64_t basis_size(const LanczosPlan& plan);

    void allocate() override;
    void initialise() override;
    std::vector<DistributedArray> state() override;
    std::vector<DistributedArray> final_state(const std::vector<ArrayShape>& stored) override;
    std::optional<std::uint64_t> begin_with_final_state(std::uint64_t step) override;
    bool keeps_series() const override { return true; }

    /// Steps of the search, one step for every state whose true residual is computed, and one for every value of an
    /// observable.
    std::uint64_t total_steps() const override;
    void step(std::uint64_t step) override;
    bool observes(std::uint64_t step) const override { return step < solver_.search_steps(); }
    const std::vector<Column>& columns() const override { return columns_; }
    void observe(std::vector<double>& rows) override;
    std::string log_line(std::span<const double> row) const override;
    std::string shortfall() const override;
    std::string remark() const override;
    std::vector<Quantity> results(const Series& series) const override;

  private:
    std::string multiplet_remark() const;
    std::string means_remark() const;
    bool gives_means() const;
    bool converged() const;

    krylov::LowestStatesSolver solver_;
    const std::size_t n_states_;
    std::vector<Column> columns_;
    std::unique_ptr<PairOccupations> pairs_;     ///< sums over the multiplet
    std::unique_ptr<PairOccupations> measured_;  ///< pair occupations of the last state measured
    Entanglement entanglement_;
    OperatorMeans means_;
    MatrixElements elements_;
};

}  // namespace strata::lanczos
