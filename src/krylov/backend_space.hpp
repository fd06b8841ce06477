// SPDX-License-Identifier: BSD-3-Clause
// Vectors in the memory of a backend. The part of a rank consists of one or several arrays of reals, each divided into
// segments (kernels/vectors/segments.hpp): tiles of a sector, columns of patches. Operators work on the arrays directly.
#pragma once

#include <memory>
#include <type_traits>

#include "comm/node_memory.hpp"
#include "kernels/vectors/vector_kernels.hpp"
#include "krylov/exact_sums.hpp"
#include "krylov/vector_space.hpp"
#include "strata/timer.hpp"

namespace strata::krylov {

using vectors::Arithmetic;

/// Segments of one array of a rank: `count` of `length` reals, or those between `begins` if there are any.
struct ArraySegments {
    std::uint64_t count = 0, length = 0;
    std::vector<std::uint64_t> begins{};  ///< [count + 1]
};

/// Segments of all arrays of this rank, and how many all ranks have.
struct SpaceLayout {
    std::vector<ArraySegments> arrays;
    std::uint64_t all_segments = 0;
    Arithmetic arithmetic = Arithmetic::real;
};

/// Sums of a step of the recurrence: <v, w>, <w, w>, <v, v>.
inline constexpr std::size_t step_sums = 3;

template <class Backend, class Real>
class BackendSpace final : public VectorSpace {
  public:
    static constexpr bool on_host = std::is_same_v<Backend, Cpu>;
    /// Memory of one array. On the host the ranks of a node may share it.
    using Memory = std::conditional_t<on_host, NodeBuffer, Buffer<Real, Cuda>>;
    using Workers = vectors::Workers<Backend>;

    /// `simd`: instruction set of the host's kernels. `comm`, the workers' queue and `timers` must outlive the object.
    BackendSpace(const Communicator& comm, SpaceLayout layout, Workers workers, std::string_view simd, Timers& timers);

    /// Bytes of work memory of a rank with `segments` and `reals`, for a basis of `count` vectors, or for steps alone.
    static std::uint64_t work_bytes(std::uint64_t segments, std::uint64_t reals, Arithmetic arithmetic,
                                    std::uint64_t count, int threads);

    /// Copies tables to a device and allocates the sums of a step; required by all functions below.
    void allocate();
    /// Memory of an array of so many reals: of this rank alone, or shared by the ranks of a node (collective over it).
    static Memory memory(std::uint64_t reals);
    static Memory shared_memory(const Node& node, std::uint64_t reals) requires on_host;
    /// A vector, zero, in memory that is at least as long as its arrays.
    DistributedVector adopt(std::vector<Memory> arrays) const;
    /// First real of this rank's array `part`, and its memory.
    static Real* own(const DistributedVector& x, std::size_t part = 0) {
        if constexpr (on_host)
            return reinterpret_cast<Real*>(memory_of(x, part).own());
        else
            return memory_of(x, part).data();
    }
    static Memory& memory_of(const DistributedVector& x, std::size_t part = 0) {
        return static_cast<Arrays&>(x.storage()).memory[part];
    }

    /// Partial sums of the segments of an array, [segment][step_sums], for the kernels of a step; then their totals.
    double* partial_sums(std::size_t part) { return sums_.partial() + first_segment_[part] * step_sums; }
    const std::vector<double>& total() { return sums_.total(step_sums); }

    Precision precision() const override {
        return sizeof(Real) == sizeof(float) ? Precision::single : Precision::double_;
    }
    void reserve_basis(std::size_t count) override;
    DistributedVector vector() const override;
    void clear(DistributedVector& x) const override;
    void axpby(Complex a, const DistributedVector& x, Complex b, const DistributedVector& y,
               DistributedVector& out) override;
    double axpby_norm(Complex a, const DistributedVector& x, Complex b, const DistributedVector& y,
                      DistributedVector* out) override;
    Complex dot(const DistributedVector& x, const DistributedVector& y) override;
    PairProducts products(const DistributedVector& v, const DistributedVector& w) override;
    double sum(const DistributedVector& x) override;
    void advance(double scale, double part, double beta, DistributedVector& v, DistributedVector& w) override;
    void subtract(const std::vector<DistributedVector>& basis, std::span<const Complex> components,
                  DistributedVector& x) override;
    Projection subtract_and_project(const std::vector<DistributedVector>& basis, std::span<const Complex> factors,
                                    DistributedVector& x) override;
    void rotate(const std::vector<DistributedVector>& basis, std::size_t count, const std::vector<Complex>& c,
                std::size_t kept) override;
    void get(const DistributedVector& x, std::size_t part, Range reals, double* to) const override;
    void set(DistributedVector& x, std::size_t part, Range reals, const double* from) const override;
    const double* in_place(const DistributedVector& x, std::size_t part) const override;
    void connect(DistributedArray& array, DistributedVector& x, std::size_t part) const override;

  protected:
    void project(const std::vector<DistributedVector>& basis, const DistributedVector& x,
                 std::span<Complex> components) override;

  private:
    struct Arrays : DistributedVector::Storage {
        std::vector<Memory> memory;
    };
    /// A table that the host fills and kernels read, for every array of the rank.
    template <class T>
    struct Table {
        Buffer<T, std::conditional_t<on_host, Cpu, Pinned>> host;
        Buffer<T, Backend> device;  ///< not used on the host
        void reserve(std::size_t size);
        /// Entries from `first` on, for a kernel that reads `count` of them.
        T* send(const Workers& workers, std::size_t first, std::size_t count);
    };

    /// Two vectors of a scalar product; without y it is the sum of x.
    struct VectorPair {
        const DistributedVector *x, *y;
    };
    std::size_t arrays() const { return segments_.size(); }
    std::size_t numbers() const { return layout_.arithmetic == Arithmetic::complex ? 2 : 1; }
    const std::vector<double>& dots(std::span<const VectorPair> pairs, const std::vector<DistributedVector>& basis,
                                    std::span<const Complex> subtracted, DistributedVector* from);
    const std::vector<double>& dots(std::span<const VectorPair> pairs) { return dots(pairs, {}, {}, nullptr); }
    void combine(Complex a, const DistributedVector& x, Complex b, const DistributedVector& y, DistributedVector* out,
                 bool with_sums);
    void set_factors(std::span<const Complex> factors);
    void check_basis(std::size_t count) const;
    vectors::Subtraction<Real> subtraction(std::size_t part, const std::vector<DistributedVector>& basis,
                                           std::size_t count, const DistributedVector& x);
    void copy_out(const Real* from, std::size_t size, Real* to) const;
    void copy_in(const Real* from, std::size_t size, Real* to) const;
    void wait() const;

    const Communicator& comm_;
    const SpaceLayout layout_;
    const Workers workers_;
    const vectors::VectorKernels<Backend, Real>& kernels_;
    Timers& timers_;
    std::vector<vectors::Segments> segments_;
    std::vector<std::uint64_t> first_segment_;
    std::vector<Buffer<std::uint64_t, Cuda>> begins_;  ///< copies of the layout's for a device
    ExactSums<Backend> sums_;
    Table<vectors::Pair<Real>> pairs_;
    Table<Real*> basis_;
    Table<double> factors_;
    Buffer<double, Backend> scratch_;
    std::size_t reserved_ = 0;  ///< vectors of a basis that the work memory suffices for
};

}  // namespace strata::krylov
