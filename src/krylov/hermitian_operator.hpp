// SPDX-License-Identifier: BSD-3-Clause
// An abstract Hermitian operator H and linear algebra of the vectors that it acts on. Solvers of this folder are
// written against it; the class that implements it knows what the vectors are, for example amplitudes of a sector or a
// tensor of a matrix product state.
//
// Every number that a function returns is the same, bit by bit, on all ranks. A solver may therefore branch on it; what
// a library computes from such numbers (LAPACK) is computed on rank 0 and broadcast.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "krylov/distributed_vector.hpp"
#include "strata/checkpoint.hpp"

namespace strata::krylov {

/// Precision of the elements of vectors; sums and small matrices are always double.
enum class Precision { double_, single };

/// Passes of an orthogonalisation: one is not enough where little of the vector remains.
enum class Passes { one = 1, two = 2 };

/// Factors of one step of the recurrence: v_k = (w - alpha v_{k-1}) / beta.
struct StepFactors {
    double alpha = 0, inverse_beta = 1, beta = 0;
};

/// Real parts of the inner products of the working pair.
struct PairProducts {
    double vw = 0, ww = 0, vv = 0;
};

/// Components of a vector in orthonormal vectors, and the square of its norm.
struct Projection {
    std::vector<Complex> components;
    double square = 0;
};

class HermitianOperator {
  public:
    /// `comm` must outlive it.
    explicit HermitianOperator(const Communicator& comm) : comm_(comm) {}
    virtual ~HermitianOperator() = default;
    HermitianOperator(const HermitianOperator&) = delete;
    HermitianOperator& operator=(const HermitianOperator&) = delete;

    const Communicator& comm() const { return comm_; }
    virtual double dimension() const = 0;
    /// Shift of the energies: multiply() and apply() multiply by H - offset(), which rounds less if the offset is near
    /// the mean of the diagonal.
    virtual double offset() const = 0;
    /// The part of offset() that does not count as a scale of energies, such as a site energy common to all sites.
    virtual double constant() const { return 0; }
    virtual Precision precision() const = 0;
    /// Smallest scale of energies that tolerances are relative to: where H is 0, all energies are rounding errors.
    virtual double least_scale() const { return 1e-300; }
    /// Magnitude of the smallest term off the diagonal, which may split levels in second order.
    virtual double least_coupling() const { return INFINITY; }

    /// Allocates the working pair, zero; required by all functions below. Collective.
    virtual void allocate() = 0;
    /// Allocates the work memory of orthogonalise() for up to `count` basis vectors. Collective.
    virtual void reserve_basis(std::size_t count) = 0;
    /// Allocates another vector, zero. Collective.
    virtual DistributedVector vector() const = 0;

    /// The working pair of the recurrence: the Lanczos vector and the residual.
    DistributedVector& v() { return v_; }
    DistributedVector& w() { return w_; }

    /// One step of the recurrence (recurrence.hpp), on the working pair:
    ///     v <- v_k = (w - alpha v) / beta,    w <- (H - offset) v_k - beta v_{k-1},
    /// where v_{k-1} is what v was before. Returns the products of the new pair. Collective.
    virtual PairProducts multiply(const StepFactors& factors) = 0;
    /// w <- (H - offset) x, v <- x. Returns the products of both. Collective.
    virtual PairProducts apply(const DistributedVector& x);

    /// x <- random numbers of mean 0, such as uniform ones in [-1, 1), which depend on the global index and on
    /// `stream`; complex if the elements are.
    virtual void draw(DistributedVector& x, std::uint64_t stream) const = 0;
    virtual void clear(DistributedVector& x) const = 0;
    void copy(const DistributedVector& x, DistributedVector& to) { axpby(1, x, 0, x, to); }
    /// out <- a x + b y; out may be x or y. The factors of real vectors must be real.
    virtual void axpby(Complex a, const DistributedVector& x, Complex b, const DistributedVector& y,
                       DistributedVector& out) = 0;
    /// The same; returns the square of the norm of the result, which is not stored if `out` is null. Collective.
    virtual double axpby_norm(Complex a, const DistributedVector& x, Complex b, const DistributedVector& y,
                              DistributedVector* out) = 0;
    virtual Complex dot(const DistributedVector& x, const DistributedVector& y) = 0;  ///< Collective.
    double norm(const DistributedVector& x);                                          ///< Collective.
    /// Subtracts from x its components in the first `count` vectors of an orthonormal basis and returns these
    /// components. Collective.
    std::vector<Complex> orthogonalise(const std::vector<DistributedVector>& basis, std::size_t count,
                                       DistributedVector& x, Passes passes = Passes::two);
    /// x <- x - sum_i factors[i] basis[i]; then the projection of x on these vectors. Collective.
    virtual Projection subtract_and_project(const std::vector<DistributedVector>& basis,
                                            std::span<const Complex> factors, DistributedVector& x);
    /// basis[j] <- sum_i c[j * count + i] basis[i] for j < kept and i < count.
    virtual void rotate(const std::vector<DistributedVector>& basis, std::size_t count, const std::vector<Complex>& c,
                        std::size_t kept) = 0;

    /// Adds x to the arrays of a checkpoint under names that begin with `name`.
    virtual void add_state(const std::string& name, DistributedVector& x, std::vector<DistributedArray>& arrays) = 0;

  protected:
    /// components[i] <- <basis[i], x> for i < components.size(). Collective.
    virtual void project(const std::vector<DistributedVector>& basis, const DistributedVector& x,
                         std::span<Complex> components) = 0;
    /// x <- x - sum_i components[i] basis[i].
    virtual void subtract(const std::vector<DistributedVector>& basis, std::span<const Complex> components,
                          DistributedVector& x) = 0;

    const Communicator& comm_;
    DistributedVector v_, w_;
};

}  // namespace strata::krylov
