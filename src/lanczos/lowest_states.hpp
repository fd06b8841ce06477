// SPDX-License-Identifier: BSD-3-Clause
// Several lowest states with their vectors: block Lanczos with full orthogonalisation and thick restarts (K. Wu,
// H. Simon, SIAM J. Matrix Anal. Appl. 22, 602 (2000)). When the states wanted have converged, a fresh random vector,
// orthogonal to them, joins the search; only if nothing lower or degenerate turns up is it over, so that every
// multiplicity is counted. Then each state is multiplied once more for its true residual, which decides whether it has
// converged; expectation values are averages over the multiplet of the lowest energy.
#pragma once

#include "lanczos/correlations.hpp"
#include "lanczos/task.hpp"

namespace strata::lanczos {

class LowestStates : public LanczosTask {
  public:
    LowestStates(const Communicator& comm, const LanczosPlan& plan, const DeviceBinding* device = nullptr);

    /// Vectors of the search.
    static std::uint64_t basis_size(const LanczosPlan& plan);

    void allocate() override;
    void initialise() override;
    std::vector<DistributedArray> state() override;
    void restored(std::uint64_t step) override;

    std::uint64_t total_steps() const override;
    void step(std::uint64_t step) override;
    bool observes(std::uint64_t step) const override { return step < search_steps(); }
    const std::vector<Column>& columns() const override { return columns_; }
    void observe_row(std::span<double> row) override;
    std::string shortfall() const override;
    std::string remark() const override;
    std::vector<Quantity> results(const Series& series) const override;

  private:
    /// Kept in checkpoints as one row; the arrays have room for the whole basis.
    struct SolverState {
        double steps = 0;
        double found = 0;         ///< 1: the search is over
        double size = 0;          ///< vectors in the basis
        double applied = 0;       ///< that H has been applied to; the others are directions of residuals
        double random = 0;        ///< vectors drawn
        double checked = 0;       ///< 1: a random vector has joined since the energies last changed
        double examined = 0;      ///< states whose true residual is known
        double scale = 0;         ///< of energies: what tolerances are relative to
        double width = 0;         ///< |(H - mean of the diagonal) v| of the first random vector
        double next = NAN;        ///< estimate of the energy after the last one wanted
        double whole = 0;         ///< 1: the basis spans the sector
        double multiplicity = 0;  ///< states of the lowest energy among those found
        PairOccupations pairs;    ///< sums over the multiplet
    };

    std::uint64_t count(double number) const { return static_cast<std::uint64_t>(number); }
    std::uint64_t search_steps() const { return state_->found != 0 ? count(state_->steps) : plan_.config().max_steps; }
    Complex& projected(std::size_t i, std::size_t j) { return projected_[i * max_basis_ + j]; }
    double tolerance() const { return plan_.config().tolerance * state_->scale; }
    bool append(DistributedVector& x, double scale, double& norm);
    void append_random();
    void expand();
    double residual_estimate(std::size_t pair) const;
    void examine_pairs();
    bool beyond_is_known() const;
    bool confirmed() const;
    void restart(std::size_t kept);
    void examine_state(std::size_t i);
    bool converged() const;
    std::size_t lowest_of(const std::vector<double>& energies) const;
    bool may_be_more() const;

    const std::size_t n_states_, max_basis_;
    std::vector<Column> columns_;
    std::vector<DistributedVector> basis_;
    std::unique_ptr<SolverState> state_;
    std::vector<Complex> projected_;  ///< <v_i, H v_j> for the columns j that were applied
    std::vector<double> energies_, residuals_, before_;
    // of the last look: pairs of the projected matrix
    std::vector<double> values_;
    std::vector<Complex> vectors_;
};

}  // namespace strata::lanczos
