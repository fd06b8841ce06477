// SPDX-License-Identifier: BSD-3-Clause
// exp(-i H t) psi in Krylov spaces (T. Park, J. Light, J. Chem. Phys. 85, 5870 (1986)): the recurrence from psi gives
// vectors V and a tridiagonal T, and exp(-i H t) psi is about V exp(-i T t) V^+ psi. The error of a piece of time t is
// at most beta_m times the integral of |(exp(-i T s))_m1| over s, m the last vector (M. Hochbruck, C. Lubich, SIAM J.
// Numer. Anal. 34, 1911 (1997)): pieces are so short that it stays below a tolerance.
#pragma once

#include "krylov/propagator.hpp"
#include "krylov/recurrence.hpp"
#include "krylov/tridiagonal.hpp"
#include "strata/timer.hpp"

namespace strata::krylov {

/// norm exp(-i T t) e_1 of a tridiagonal matrix T, whose pairs are given.
std::vector<Complex> exponential_column(const TridiagonalPairs& pairs, double norm, double t);
/// Bound of the norm of the error of exp(-i H t) v, |v| = norm, in the Krylov space of v, whose recurrence ends with the
/// coefficient `beta`; infinite where the space is too small for such a time.
double exponential_error(const TridiagonalPairs& pairs, double norm, double beta, double t);

class KrylovExponential final : public Propagator {
  public:
    /// `op` and `timers` must outlive it. The vectors of `op` are complex.
    KrylovExponential(HermitianOperator& op, const ExponentialOptions& options, Timers& timers);

    void allocate() override;
    void reset() override { recurrence_ = {}; }
    std::size_t size() const override { return recurrence_.steps; }
    /// H is the same at all times.
    bool expand(const DistributedVector& psi, const Interval& time) override;
    Piece advance(DistributedVector& psi, const Interval& time) override;

  private:
    Piece choose_piece(const TridiagonalPairs& pairs, double left) const;

    HermitianOperator& op_;
    const ExponentialOptions options_;
    Timers& timers_;
    std::vector<DistributedVector> basis_;
    std::vector<double> alpha_, beta_;
    RecurrenceState recurrence_;
};

}  // namespace strata::krylov
