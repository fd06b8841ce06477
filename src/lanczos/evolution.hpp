// SPDX-License-Identifier: BSD-3-Clause
// Motion in time, psi(t + dt) = exp(-i H dt) psi(t), in Krylov spaces (T. Park, J. Light, J. Chem. Phys. 85, 5870
// (1986)): the recurrence from psi and the exponential of its tridiagonal matrix T. The error of a piece of time t is at
// most beta_m times the integral of |(exp(-i T s))_m1| over s, m the last vector (M. Hochbruck, C. Lubich, SIAM J. Numer.
// Anal. 34, 1911 (1997)): pieces are so short that it stays below a tolerance, and the bounds are added up. A step of the
// run is one multiplication by H.
#pragma once

#include "lanczos/correlations.hpp"
#include "lanczos/recurrence.hpp"
#include "lanczos/task.hpp"
#include "lanczos/tridiagonal.hpp"

namespace strata::lanczos {

class Evolution : public LanczosTask {
  public:
    Evolution(const Communicator& comm, const LanczosPlan& plan, const DeviceBinding* device = nullptr);

    std::vector<std::string> description() const override;
    void allocate() override;
    void initialise() override;
    std::vector<DistributedArray> state() override;
    void restored(std::uint64_t step) override;

    /// Multiplications made and, with pieces as long as the last one, ahead; step 0 observes the first state.
    std::uint64_t total_steps() const override;
    void step(std::uint64_t step) override;
    bool observes(std::uint64_t) const override { return state_->rows_due > state_->rows; }
    const std::vector<Column>& columns() const override { return columns_; }
    void observe_row(std::span<double> row) override;
    std::string broken_invariant(std::span<const double> row) const override;
    std::vector<Quantity> results(const Series& series) const override;

  private:
    struct SolverState {
        double rows = 0;      ///< observed
        double rows_due = 0;  ///< that the state has reached the time of
        double done = 0;      ///< of the time to the next row
        double piece = 0;     ///< length of the last piece of time
        double error = 0;     ///< bound of |psi - exact psi|
    };

    void finish_piece();
    double choose_piece(const TridiagonalPairs& pairs, double left, double& bound) const;
    std::vector<Complex> coefficients(const TridiagonalPairs& pairs, double t) const;

    const std::size_t krylov_;
    std::vector<Column> columns_;
    DistributedVector psi_, first_;
    std::vector<DistributedVector> basis_;
    std::vector<double> alpha_, beta_;
    RecurrenceState recurrence_;    ///< of the piece under way, which begins again after a restart
    std::uint64_t iterations_ = 0;  ///< steps
    std::unique_ptr<SolverState> state_;
    std::unique_ptr<PairOccupations> pairs_;
};

}  // namespace strata::lanczos
