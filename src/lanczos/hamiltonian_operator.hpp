// SPDX-License-Identifier: BSD-3-Clause
// Vectors of a sector, spread over the ranks by blocks of up rows, and the multiplication by H, wherever they are: in
// host memory or on devices, in double or single precision. The applications are written against this.
#pragma once

#include <memory>
#include <vector>

#include "comm/communicator.hpp"
#include "comm/device_binding.hpp"
#include "comm/ordered_sum.hpp"
#include "lanczos/plan.hpp"
#include "lanczos/row_plan.hpp"
#include "strata/buffer.hpp"
#include "strata/checkpoint.hpp"
#include "strata/memory.hpp"
#include "strata/timer.hpp"

namespace strata::lanczos {

/// One vector: the blocks of this rank, subspace by subspace, as its operator keeps them.
class DistributedVector {
  public:
    class Storage {
      public:
        virtual ~Storage() = default;
    };
    DistributedVector() = default;
    explicit DistributedVector(std::unique_ptr<Storage> storage) : storage_(std::move(storage)) {}
    Storage& storage() const { return *storage_; }

  private:
    std::unique_ptr<Storage> storage_;
};

/// Of an orthogonalisation: one is not enough where little of the vector remains.
enum class Passes { one = 1, two = 2 };

class HamiltonianOperator {
  public:
    /// `comm`, `plan` and `timers` must outlive it. Collective.
    HamiltonianOperator(const Communicator& comm, const LanczosPlan& plan, Sharing sharing, PanelTranspose transpose,
                        Timers& timers);
    virtual ~HamiltonianOperator() = default;
    HamiltonianOperator(const HamiltonianOperator&) = delete;

    const LanczosPlan& plan() const { return plan_; }
    const Sector& sector() const { return plan_.sector(); }
    const Communicator& comm() const { return comm_; }
    std::string exchange_description() const { return rows_.exchange_description(); }

    virtual std::string name() const = 0;  ///< e.g. "cpu avx512"
    /// Of the working pair, the tables, the exchange and `vectors` more.
    virtual MemoryPrediction memory(std::uint64_t vectors) const = 0;
    /// The working pair, zero; before any of the following.
    virtual void allocate() = 0;
    /// A vector outside of the working pair, zero.
    virtual DistributedVector vector() const = 0;

    DistributedVector& v() { return v_; }
    DistributedVector& w() { return w_; }

    /// One step of the recurrence: v becomes (w - alpha v) / beta, w becomes H v - beta (the v of before). Returns v.w,
    /// w.w and v.v. Collective.
    virtual TileSums multiply(const Recurrence& r) = 0;
    /// w := H x, v := x; returns the same. Collective.
    TileSums apply(const DistributedVector& x);

    /// Random numbers in (-1, 1) by global place; complex where the arithmetic is. `stream` tells one draw from others.
    virtual void draw(DistributedVector& x, std::uint64_t stream) const = 0;
    virtual void clear(DistributedVector& x) const = 0;
    void copy(const DistributedVector& x, DistributedVector& to) { axpby(1, x, 0, x, to); }
    /// out := a x + b y; out may be x or y. Returns the square of its norm. `out` null: only that. Collective.
    double axpby_norm(Complex a, const DistributedVector& x, Complex b, const DistributedVector& y,
                      DistributedVector* out);
    void axpby(Complex a, const DistributedVector& x, Complex b, const DistributedVector& y, DistributedVector& out) {
        axpby_tiles(a, x, b, y, &out);
    }
    Complex dot(const DistributedVector& x, const DistributedVector& y);  ///< Collective.
    double norm(const DistributedVector& x);                              ///< Collective.
    /// x less its components in the first `count` of orthonormal vectors, which are returned. Collective.
    std::vector<Complex> orthogonalise(const std::vector<DistributedVector>& basis, std::size_t count,
                                       DistributedVector& x, Passes passes = Passes::two);
    /// basis[j] := sum_i c[j * count + i] basis[i] for j < kept.
    virtual void rotate(const std::vector<DistributedVector>& basis, std::size_t count, const std::vector<Complex>& c,
                        std::size_t kept) = 0;

    /// This rank's blocks of a subspace as doubles, laid out as BlockLayout says: a copy, or the vector itself.
    class Blocks {
      public:
        explicit Blocks(const double* data) : data_(data) {}
        explicit Blocks(Buffer<double> copy) : copy_(std::move(copy)), data_(copy_.data()) {}
        const double* data() const { return data_; }

      private:
        Buffer<double> copy_;
        const double* data_;
    };
    virtual Blocks blocks(const DistributedVector& x, std::size_t subspace) const = 0;
    virtual void set_blocks(DistributedVector& x, std::size_t subspace, const double* from) const = 0;

    /// As arrays of a checkpoint, named after `name`; after reading one, restored() must follow.
    virtual void add_state(const std::string& name, DistributedVector& x, std::vector<DistributedArray>& arrays) = 0;
    virtual void restored(DistributedVector&) {}
    virtual void finish() {}

  protected:
    virtual void axpby_tiles(Complex a, const DistributedVector& x, Complex b, const DistributedVector& y,
                             DistributedVector* out) = 0;
    virtual void dot_tiles(const DistributedVector& x, const DistributedVector& y) = 0;
    /// <v_i, x> of this rank's blocks, re and im, to the first 2 count numbers of each.
    virtual void project(const std::vector<DistributedVector>& basis, std::size_t count, const DistributedVector& x,
                         OrderedSum& sums) = 0;
    virtual void subtract(const std::vector<DistributedVector>& basis, std::size_t count, const std::vector<Complex>& h,
                          DistributedVector& x) = 0;
    /// The sums of this rank's blocks, made last by multiply, axpby_tiles or dot_tiles.
    virtual void collect(OrderedSum& sums) = 0;
    /// An array of a checkpoint without the functions that move its slabs; `real_bytes`: of one real number.
    DistributedArray state_array(const std::string& name, std::size_t subspace, std::size_t real_bytes) const;
    /// Sums of all tiles in global order. Also a meeting of all ranks: nobody overwrites v before all have read it.
    TileSums total();

    const Communicator& comm_;
    const LanczosPlan& plan_;
    Timers& timers_;
    RowPlan rows_;
    OrderedSum sums_;
    std::unique_ptr<OrderedSum> projections_;  ///< room for a whole basis, made when it is first needed
    DistributedVector v_, w_;
};

/// On `device` if that is not null, else on the CPU. Collective.
std::unique_ptr<HamiltonianOperator> make_hamiltonian(const Communicator& comm, const LanczosPlan& plan,
                                                      const DeviceBinding* device, Timers& timers);

}  // namespace strata::lanczos
