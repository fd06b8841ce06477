// SPDX-License-Identifier: BSD-3-Clause
// exp(-i H t) psi in Krylov spaces (T. Park, J. Light, J. Chem. Phys. 85, 5870 (1986)): the recurrence from psi gives
// vectors V and a tridiagonal T, and exp(-i H t) psi is about V exp(-i T t) V^+ psi. The error of a piece of time t is
// at most beta_m times the integral of |(exp(-i T s))_m1| over s, m the last vector (M. Hochbruck, C. Lubich, SIAM J.
// Numer. Anal. 34, 1911 (1997)): pieces are so short that it stays below a tolerance.
#pragma once

#include "krylov/recurrence.hpp"
#include "krylov/tridiagonal.hpp"
#include "strata/timer.hpp"

namespace strata::krylov {

struct ExponentialOptions {
    std::size_t dimension = 16;  ///< dimension of a Krylov space, at least 2
    double tolerance = 1e-12;    ///< largest norm of the error of one piece of time
};

/// norm exp(-i T t) e_1 of a tridiagonal matrix T, whose pairs are given.
std::vector<Complex> exponential_column(const TridiagonalPairs& pairs, double norm, double t);
/// Bound of the norm of the error of exp(-i H t) v, |v| = norm, in the Krylov space of v, whose recurrence ends with the
/// coefficient `beta`; infinite where the space is too small for such a time.
double exponential_error(const TridiagonalPairs& pairs, double norm, double beta, double t);

class KrylovExponential {
  public:
    /// A piece of time, by which psi is advanced with one Krylov space, and the bound of the norm of its error.
    struct Piece {
        double time = 0, error = 0;
    };

    /// `op` and `timers` must outlive it. The vectors of `op` are complex.
    KrylovExponential(HermitianOperator& op, const ExponentialOptions& options, Timers& timers);

    /// Allocates the `dimension` basis vectors. Collective.
    void allocate();
    /// Discards the Krylov space.
    void reset() { recurrence_ = {}; }
    /// Number of basis vectors of the current Krylov space.
    std::size_t size() const { return recurrence_.steps; }
    /// Computes the next basis vector of the Krylov space of psi by one multiplication; psi must stay the same until
    /// advance(). Returns whether the space is complete. Collective.
    bool expand(const DistributedVector& psi);
    /// psi <- exp(-i H t) psi with t = left / n, where n = 1, 2, 3, ... (beyond 10 in steps of a tenth) is the first
    /// number whose error bound is within the tolerance. Requires a complete space and discards it. Collective.
    Piece advance(DistributedVector& psi, double left);

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
