// SPDX-License-Identifier: BSD-3-Clause
// An abstract Hermitian operator H. Solvers of this folder are written against it and the space of its vectors; the class
// that implements it knows what the vectors are, for example amplitudes of a sector or a tensor of a matrix product
// state. Numbers that functions return are the same on all ranks.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "krylov/vector_space.hpp"

namespace strata::krylov {

/// Factors of one step of the recurrence: v_k = (w - alpha v_{k-1}) / beta.
struct StepFactors {
    double alpha = 0, inverse_beta = 1, beta = 0;
};

/// The Rayleigh quotient of a vector x, <x, (H - offset) x> / <x, x>, and the norm of (H - offset) x - quotient x for x
/// of norm 1.
struct RayleighQuotient {
    double value = 0, residual = 0;
};

class HermitianOperator {
  public:
    /// `comm` must outlive it.
    explicit HermitianOperator(const Communicator& comm) : comm_(comm) {}
    virtual ~HermitianOperator() = default;
    HermitianOperator(const HermitianOperator&) = delete;
    HermitianOperator& operator=(const HermitianOperator&) = delete;

    const Communicator& comm() const { return comm_; }
    /// The space that H acts on; of a constant operator to look at only.
    virtual VectorSpace& space() = 0;
    const VectorSpace& space() const { return const_cast<HermitianOperator*>(this)->space(); }
    virtual double dimension() const = 0;
    /// Shift of the energies: multiply() and apply() multiply by H - offset(), which rounds less if the offset is near
    /// the mean of the diagonal.
    virtual double offset() const = 0;
    /// The part of offset() that does not count as a scale of energies, such as a site energy common to all sites.
    virtual double constant() const { return 0; }
    /// Smallest scale of energies that tolerances are relative to: where H is 0, all energies are rounding errors.
    virtual double least_scale() const { return 1e-300; }
    /// Magnitude of the smallest term off the diagonal, which may split levels in second order.
    virtual double least_coupling() const { return INFINITY; }

    /// Allocates tables and the working pair, zero; required by all functions below and by space(). Collective.
    virtual void allocate() = 0;

    /// The working pair of the recurrence: the Lanczos vector and the residual.
    DistributedVector& v() { return v_; }
    DistributedVector& w() { return w_; }

    /// One step of the recurrence (recurrence.hpp), on the working pair:
    ///     v <- v_k = (w - alpha v) / beta,    w <- (H - offset) v_k - beta v_{k-1},
    /// where v_{k-1} is what v was before. Returns the products of the new pair. Collective.
    virtual PairProducts multiply(const StepFactors& factors) = 0;
    /// w <- (H - offset) x, v <- x. Returns the products of both. Collective.
    virtual PairProducts apply(const DistributedVector& x) {
        space().copy(x, w_);
        space().clear(v_);
        return multiply({0, 1, 0});
    }
    /// The quotient of x, of norm 1 to rounding, which is near `guess`. Overwrites the working pair. Collective.
    virtual RayleighQuotient quotient(const DistributedVector& x, [[maybe_unused]] double guess) {
        const PairProducts products = apply(x);
        const double value = products.vw / products.vv;
        return {value, std::sqrt(space().axpby_norm(1, w_, -value, x, nullptr))};
    }
    /// Bound of the rounding errors of the value and of the residual of quotient(), those of the elements of H included;
    /// infinite where none is known.
    virtual double quotient_rounding() const { return INFINITY; }
    /// x <- random numbers of mean 0, such as uniform ones in [-1, 1), which depend on the global index and on
    /// `stream`; complex if the elements are.
    virtual void draw(DistributedVector& x, std::uint64_t stream) = 0;
    /// Adds x to the arrays of a checkpoint under names that begin with `name`.
    virtual void add_state(const std::string& name, DistributedVector& x, std::vector<DistributedArray>& arrays) = 0;

  protected:
    const Communicator& comm_;
    DistributedVector v_, w_;
};

}  // namespace strata::krylov
