// SPDX-License-Identifier: BSD-3-Clause
// Several lowest states with their vectors: block Lanczos with full orthogonalisation and thick restarts (K. Wu,
// H. Simon, SIAM J. Matrix Anal. Appl. 22, 602 (2000)). When the states wanted have converged, a fresh random vector,
// orthogonal to them, joins the search; only if nothing lower or degenerate turns up is it over, so that every
// multiplicity is counted.
#pragma once

#include "lanczos/correlations.hpp"
#include "lanczos/system.hpp"

namespace strata::lanczos {

class LowestStates : public LanczosSystem {
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
    void observe(std::span<double> row) override;
    std::string shortfall() const override;
    std::vector<Quantity> results(const Series& series) const override;

  private:
    /// Kept in checkpoints as one row; the arrays have room for the whole basis.
    struct Numbers {
        double steps = 0, converged = 0;
        double size = 0;     ///< vectors in the basis
        double applied = 0;  ///< that H has been applied to; the rest points where residuals do
        double random = 0;   ///< vectors drawn
        double checked = 0;  ///< 1: a random vector has joined since the energies last changed
        double next = NAN;   ///< estimate of the energy after the last one wanted
        PairOccupations pairs;
    };

    std::uint64_t count(double number) const { return static_cast<std::uint64_t>(number); }
    std::uint64_t search_steps() const { return n_->converged != 0 ? count(n_->steps) : plan_.config().max_steps; }
    Complex& projected(std::size_t i, std::size_t j) { return projected_[i * most_ + j]; }
    bool append(Vector& x, double scale, double& norm);
    void append_random();
    void expand();
    void examine_pairs();
    void restart(std::size_t kept);
    void examine_state(std::size_t i);

    const std::size_t wanted_, most_;
    std::vector<Column> columns_;
    std::vector<Vector> basis_;
    std::unique_ptr<Numbers> n_;
    std::vector<Complex> projected_;  ///< <v_i, H v_j> for the columns j that were applied
    std::vector<double> energies_, residuals_, before_;
    // of the last look: pairs of the projected matrix
    std::vector<double> values_;
    std::vector<Complex> vectors_;
};

}  // namespace strata::lanczos
