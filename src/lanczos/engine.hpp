// SPDX-License-Identifier: BSD-3-Clause
// Vectors of a sector, spread over the ranks by blocks of up rows, and the multiplication by H. The ranks of a node
// read each other's rows in place; rows of other nodes arrive by message, as needed rows or by turning panels,
// whichever moves less.
#pragma once

#include <memory>
#include <vector>

#include "comm/communicator.hpp"
#include "comm/node_memory.hpp"
#include "comm/row_exchange.hpp"
#include "lanczos/block_sum.hpp"
#include "lanczos/plan.hpp"
#include "lanczos/turned_hops.hpp"
#include "strata/checkpoint.hpp"
#include "strata/memory.hpp"
#include "strata/timer.hpp"

namespace strata::lanczos {

/// One vector: the blocks of this rank, product by product.
class Vector {
  public:
    Vector() = default;
    explicit Vector(std::vector<NodeBuffer> parts) : parts_(std::move(parts)) {}
    bool empty() const { return parts_.empty(); }
    double* own(std::size_t product) const { return parts_[product].own(); }
    /// First of the rows in reach.
    double* reach(std::size_t product) const { return parts_[product].first(); }

  private:
    std::vector<NodeBuffer> parts_;
};

class Engine {
  public:
    /// Decides how rows travel and plans it. `comm` and `timers` must outlive it. Collective.
    Engine(const Communicator& comm, const LanczosPlan& plan, Timers& timers);
    ~Engine();
    Engine(const Engine&) = delete;

    const LanczosPlan& plan() const { return plan_; }
    const Sector& sector() const { return plan_.sector(); }
    const Communicator& comm() const { return comm_; }
    /// Of the working pair, the tables and the exchange.
    std::vector<MemoryPrediction::Item> memory() const;
    std::uint64_t vector_bytes() const;
    std::string transport() const;  ///< a line for the user

    /// The working pair, zero; before any of the following.
    void allocate();
    /// A vector outside of the working pair, zero.
    Vector vector() const;

    Vector& f() { return f_; }
    Vector& q() { return q_; }

    /// One step of the recurrence: f becomes (q - alpha f) / beta, q becomes H f - beta (the f of before). Returns f.q,
    /// q.q and f.f. Collective.
    TileSums multiply(const Recurrence& r);
    /// q := H x, f := x; returns the same. Collective.
    TileSums apply(const Vector& x);

    /// Random numbers in (-1, 1) by global place; complex where the arithmetic is. `stream` tells one draw from others.
    void draw(Vector& x, std::uint64_t stream) const;
    void clear(Vector& x) const;
    void copy(const Vector& x, Vector& to) { combine_only(1, x, 0, x, to); }
    /// out := a x + b y; out may be x or y. Returns the square of its norm. `out` null: only that. Collective.
    double combine(Complex a, const Vector& x, Complex b, const Vector& y, Vector* out);
    void combine_only(Complex a, const Vector& x, Complex b, const Vector& y, Vector& out);  ///< without the norm
    Complex dot(const Vector& x, const Vector& y);                                           ///< Collective.
    double norm(const Vector& x);                                                            ///< Collective.
    /// x less its components in the first `count` of orthonormal vectors, which are returned. Twice, as once is not
    /// enough where little remains. Collective.
    std::vector<Complex> orthogonalise(const std::vector<Vector>& basis, std::size_t count, Vector& x);
    /// basis[j] := sum_i c[j * count + i] basis[i] for j < kept.
    void rotate(const std::vector<Vector>& basis, std::size_t count, const std::vector<Complex>& c, std::size_t kept);

    /// As arrays of a checkpoint, named after `name`.
    void add_state(const std::string& name, Vector& x, std::vector<DistributedArray>& arrays) const;

  private:
    struct Part;
    void plan_rows(std::size_t product, const std::vector<std::vector<std::uint64_t>>& places);
    TileSums total();

    const Communicator& comm_;
    const LanczosPlan& plan_;
    Timers& timers_;
    std::unique_ptr<Node> node_;
    std::vector<Part> parts_;
    std::unique_ptr<TurnedHops> turned_;
    BlockSum sums_;
    std::vector<TileSums> tiles_;
    Buffer<double> scratch_;
    Vector f_, q_;
};

}  // namespace strata::lanczos
