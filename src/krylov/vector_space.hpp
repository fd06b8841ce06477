// SPDX-License-Identifier: BSD-3-Clause
// Linear algebra of distributed vectors, as the solvers of this folder call it. backend_space.hpp implements it in host or
// device memory, for real or complex numbers, once for all operators.
//
// Every number that a function returns is the same, bit by bit, on all ranks. A solver may therefore branch on it; what
// a library computes from such numbers (LAPACK) is computed on rank 0 and broadcast.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "krylov/distributed_vector.hpp"
#include "strata/checkpoint.hpp"
#include "strata/partition.hpp"

namespace strata::krylov {

/// Precision of the elements of vectors; sums and small matrices are always double.
enum class Precision { double_, single };

/// Passes of an orthogonalisation: one is not enough where little of the vector remains.
enum class Passes { one = 1, two = 2 };

/// Real parts of the inner products of two vectors v and w.
struct PairProducts {
    double vw = 0, ww = 0, vv = 0;
};

/// Components of a vector in orthonormal vectors, and the square of its norm.
struct Projection {
    std::vector<Complex> components;
    double square = 0;
};

class VectorSpace {
  public:
    VectorSpace() = default;
    virtual ~VectorSpace() = default;
    VectorSpace(const VectorSpace&) = delete;
    VectorSpace& operator=(const VectorSpace&) = delete;

    virtual Precision precision() const = 0;
    /// Allocates the work memory of projections on up to `count` basis vectors, and of their rotation. Collective.
    virtual void reserve_basis(std::size_t count) = 0;
    /// Allocates another vector, zero. Collective.
    virtual DistributedVector vector() const = 0;

    virtual void clear(DistributedVector& x) const = 0;
    void copy(const DistributedVector& x, DistributedVector& to) { axpby(1, x, 0, x, to); }
    /// out <- a x + b y; out may be x or y. The factors of real vectors must be real.
    virtual void axpby(Complex a, const DistributedVector& x, Complex b, const DistributedVector& y,
                       DistributedVector& out) = 0;
    /// The same; returns the square of the norm of the result, which is not stored if `out` is null. Collective.
    virtual double axpby_norm(Complex a, const DistributedVector& x, Complex b, const DistributedVector& y,
                              DistributedVector* out) = 0;
    virtual Complex dot(const DistributedVector& x, const DistributedVector& y) = 0;            ///< Collective.
    double norm(const DistributedVector& x);                                                    ///< Collective.
    virtual PairProducts products(const DistributedVector& v, const DistributedVector& w) = 0;  ///< Collective.
    virtual double sum(const DistributedVector& x) = 0;  ///< Sum of the elements of a real vector. Collective.
    /// v <- beta v, w <- scale w + part v, with the old v: the vectors of a step of the recurrence.
    virtual void advance(double scale, double part, double beta, DistributedVector& v, DistributedVector& w) = 0;
    /// Subtracts from x its components in the first `count` vectors of an orthonormal basis and returns these
    /// components. Collective.
    std::vector<Complex> orthogonalise(const std::vector<DistributedVector>& basis, std::size_t count,
                                       DistributedVector& x, Passes passes = Passes::two);
    /// x <- x - sum_i components[i] basis[i].
    virtual void subtract(const std::vector<DistributedVector>& basis, std::span<const Complex> components,
                          DistributedVector& x) = 0;
    /// x <- x - sum_i factors[i] basis[i]; then the projection of x on these vectors. Collective.
    virtual Projection subtract_and_project(const std::vector<DistributedVector>& basis,
                                            std::span<const Complex> factors, DistributedVector& x) = 0;
    /// basis[j] <- sum_i c[j * count + i] basis[i] for j < kept and i < count.
    virtual void rotate(const std::vector<DistributedVector>& basis, std::size_t count, const std::vector<Complex>& c,
                        std::size_t kept) = 0;

    /// Copies `reals` of this rank's part `part` of x to or from host memory, as doubles. A complex number has two.
    virtual void get(const DistributedVector& x, std::size_t part, Range reals, double* to) const = 0;
    virtual void set(DistributedVector& x, std::size_t part, Range reals, const double* from) const = 0;
    /// The part itself where it consists of doubles in host memory, else null.
    virtual const double* in_place(const DistributedVector& x, std::size_t part) const = 0;
    /// Sets a function that projects a vector onto the space of an operator which is a part of this one. It is called after
    /// every subtraction: where little of a vector remains, rounding errors outside of the part are no longer small.
    void set_restriction(std::function<void(DistributedVector&)> restriction) { restriction_ = std::move(restriction); }
    void restrict(DistributedVector& x) const {
        if (restriction_) restriction_(x);
    }
    /// Lets an array of a checkpoint read and write a part: its rows lie there one after another, and those of different
    /// lengths are its segments.
    virtual void connect(DistributedArray& array, DistributedVector& x, std::size_t part) const = 0;

  protected:
    /// components[i] <- <basis[i], x> for i < components.size(). Collective.
    virtual void project(const std::vector<DistributedVector>& basis, const DistributedVector& x,
                         std::span<Complex> components) = 0;

    std::function<void(DistributedVector&)> restriction_;
};

}  // namespace strata::krylov
