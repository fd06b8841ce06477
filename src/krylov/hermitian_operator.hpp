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

/// What a vector has of some orthonormal ones, and the square of its norm.
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
    /// multiply() and apply() multiply by H - offset(), which rounds less if the offset is near the mean of the
    /// diagonal.
    virtual double offset() const = 0;
    /// The part of offset() that is no scale of energies, such as a site energy that all sites have.
    virtual double constant() const { return 0; }
    virtual Precision precision() const = 0;
    /// The least scale of energies that tolerances are relative to: where H is 0, all energies are rounding errors.
    virtual double least_scale() const { return 1e-300; }
    /// The smallest of the terms off the diagonal, which split levels in second order.
    virtual double least_coupling() const { return INFINITY; }

    /// Makes the working pair, zero; before any of the following. Collective.
    virtual void allocate() = 0;
    /// Allocates what orthogonalise() needs for up to `count` basis vectors. Collective.
    virtual void reserve_basis(std::size_t count) = 0;
    /// A new vector beside the working pair, zero. Collective.
    virtual DistributedVector vector() const = 0;

    /// The working pair of the recurrence: the Lanczos vector and the residual.
    DistributedVector& v() { return v_; }
    DistributedVector& w() { return w_; }

    /// One step of the recurrence (recurrence.hpp), on the working pair:
    ///     v <- v_k = (w - alpha v) / beta,    w <- (H - offset) v_k - beta v_{k-1},
    /// where v_{k-1} is what v was before. Returns the products of the new pair. Collective.
    virtual PairProducts multiply(const StepFactors& factors) = 0;
    /// w <- (H - offset) x, v <- x, and the products of both. Collective.
    virtual PairProducts apply(const DistributedVector& x);

    /// Random numbers in (-1, 1) by global index, complex where the elements are; each `stream` gives other numbers.
    virtual void draw(DistributedVector& x, std::uint64_t stream) const = 0;
    virtual void clear(DistributedVector& x) const = 0;
    void copy(const DistributedVector& x, DistributedVector& to) { axpby(1, x, 0, x, to); }
    /// out <- a x + b y; out may be x or y. Real vectors take real factors.
    virtual void axpby(Complex a, const DistributedVector& x, Complex b, const DistributedVector& y,
                       DistributedVector& out) = 0;
    /// The same, and the square of the norm of the result; with `out` null only that. Collective.
    virtual double axpby_norm(Complex a, const DistributedVector& x, Complex b, const DistributedVector& y,
                              DistributedVector* out) = 0;
    virtual Complex dot(const DistributedVector& x, const DistributedVector& y) = 0;  ///< Collective.
    double norm(const DistributedVector& x);                                          ///< Collective.
    /// Subtracts from x its components in the first `count` of orthonormal vectors, and returns these. Collective.
    std::vector<Complex> orthogonalise(const std::vector<DistributedVector>& basis, std::size_t count,
                                       DistributedVector& x, Passes passes = Passes::two);
    /// x <- x - sum_i factors[i] basis[i]; then the projection of x on these vectors. Collective.
    virtual Projection subtract_and_project(const std::vector<DistributedVector>& basis,
                                            std::span<const Complex> factors, DistributedVector& x);
    /// basis[j] <- sum_i c[j * count + i] basis[i] for j < kept, over the first `count` vectors.
    virtual void rotate(const std::vector<DistributedVector>& basis, std::size_t count, const std::vector<Complex>& c,
                        std::size_t kept) = 0;

    /// Adds x to the arrays of a checkpoint under names that begin with `name`.
    virtual void add_state(const std::string& name, DistributedVector& x, std::vector<DistributedArray>& arrays) = 0;

  protected:
    /// <basis[i], x> for i < components.size(). Collective.
    virtual void project(const std::vector<DistributedVector>& basis, const DistributedVector& x,
                         std::span<Complex> components) = 0;
    /// x <- x - sum_i components[i] basis[i].
    virtual void subtract(const std::vector<DistributedVector>& basis, std::span<const Complex> components,
                          DistributedVector& x) = 0;

    const Communicator& comm_;
    DistributedVector v_, w_;
};

}  // namespace strata::krylov
