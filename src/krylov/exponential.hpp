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
    double tolerance = 1e-12;    ///< largest error of one piece of time, relative to the norm
};

class KrylovExponential {
  public:
    /// A piece of time and the bound of its error.
    struct Piece {
        double time = 0, error = 0;
    };

    /// `op` and `timers` must outlive it. The vectors of `op` are complex.
    KrylovExponential(HermitianOperator& op, const ExponentialOptions& options, Timers& timers);

    void allocate();
    /// Forgets the Krylov space.
    void reset() { recurrence_ = {}; }
    /// Vectors of the space so far.
    std::size_t size() const { return recurrence_.steps; }
    /// One multiplication: the next vector of the space of psi, which must not change meanwhile. Returns whether the
    /// space is complete. Collective.
    bool expand(const DistributedVector& psi);
    /// psi <- exp(-i H t) psi with the largest t of left, left/2, left/3, ... whose error bound is below the tolerance;
    /// the next space begins then. For a complete space. Collective.
    Piece advance(DistributedVector& psi, double left);

  private:
    std::vector<Complex> coefficients(const TridiagonalPairs& pairs, double t) const;
    Piece choose_piece(const TridiagonalPairs& pairs, double left) const;

    HermitianOperator& op_;
    const ExponentialOptions options_;
    Timers& timers_;
    std::vector<DistributedVector> basis_;
    std::vector<double> alpha_, beta_;
    RecurrenceState recurrence_;
};

}  // namespace strata::krylov
