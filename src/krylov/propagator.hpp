// SPDX-License-Identifier: BSD-3-Clause
// A solver of i d psi/dt = H psi that advances psi by pieces of time, so short that a rigorous bound of the error of each stays
// below a tolerance. For a piece it computes a number of vectors, one by one, and combines them.
#pragma once

#include "krylov/vector_space.hpp"

namespace strata::krylov {

struct ExponentialOptions {
    std::size_t dimension = 16;  ///< number of vectors of a piece, at least 2
    double tolerance = 1e-12;    ///< largest norm of the error of one piece of time
};

class Propagator {
  public:
    /// A piece of time, by which psi is advanced, and the bound of the norm of its error.
    struct Piece {
        double time = 0, error = 0;
    };
    /// The time of psi, and the time that remains to be covered by pieces.
    struct Interval {
        double begin = 0, length = 0;
    };

    Propagator() = default;
    virtual ~Propagator() = default;
    Propagator(const Propagator&) = delete;
    Propagator& operator=(const Propagator&) = delete;

    /// Allocates the vectors. Collective.
    virtual void allocate() = 0;
    /// Discards the vectors of the current piece.
    virtual void reset() = 0;
    /// Number of vectors of the current piece.
    virtual std::size_t size() const = 0;
    /// Computes the next vector of the piece by one multiplication by H; psi must stay the same until advance(). Returns
    /// whether they are complete. Collective.
    virtual bool expand(const DistributedVector& psi, const Interval& time) = 0;
    /// Advances psi by length / n with n = 1, 2, 3, ... (beyond 10 in steps of a tenth), the first number whose error bound is
    /// within the tolerance. Requires all vectors and discards them. Collective.
    virtual Piece advance(DistributedVector& psi, const Interval& time) = 0;
};

}  // namespace strata::krylov
