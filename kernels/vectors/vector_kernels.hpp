// SPDX-License-Identifier: BSD-3-Clause
// Linear algebra of vectors in the memory of a host or device, the same for every application. The arithmetic is
// rounded operation by operation in a fixed order, so that all instruction sets and devices give the same bits. Every
// kernel is limited by memory bandwidth; bytes per real of doubles, half of them in single precision:
//
//     advance     32                       v and w, read and written
//     axpby       24                       x and y read, out written
//     dots        16 per pair              8 for every vector that another pair of the call reads, too
//     subtract    8 (count + 2)
//     rotate      8 (count + kept)         and on devices as many in its scratch memory
//
// Operations: 2 per real and vector, 4 with a factor that has an imaginary part.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <vector>

#include "kernels/vectors/segments.hpp"
#include "strata/queue.hpp"

namespace strata::vectors {

/// Two vectors of a scalar product; without y it is the sum of x.
template <class Real>
struct Pair {
    const Real *x = nullptr, *y = nullptr;
};

/// x -= sum_i factors[i] basis[i], in the order of i. Factors are pairs (re, im), also of real vectors.
template <class Real>
struct Subtraction {
    const Real* const* basis = nullptr;
    const double* factors = nullptr;
    std::uint64_t count = 0;
    Real* x = nullptr;
};

/// Factor of a vector.
struct Factor {
    double re = 0, im = 0;
};

/// What runs a kernel: threads of the host, or a queue of a device, where kernels return at once.
template <class Backend>
struct Workers;
template <>
struct Workers<Cpu> {
    int threads = 1;
};
template <>
struct Workers<Cuda> {
    const Queue<Cuda>* queue = nullptr;
};

/// Kernels of one instruction set or of devices, for real or complex vectors. All pointers are to memory of the backend.
template <class Backend, class Real>
struct VectorKernels {
    using On = const Workers<Backend>&;
    std::string_view name;
    /// x := 0. Each thread of a host writes what it will work on, so that pages are placed in its memory (first touch).
    void (*clear)(On, const Segments&, Real* x);
    /// w := scale w + part v, v := beta v.
    void (*advance)(On, const Segments&, Real scale, Real part, Real beta, Real* v, Real* w);
    /// out := a x + b y, unless out is null; out may be x or y. sums[segment * stride] := |a x + b y|^2 of each
    /// segment, unless sums is null.
    void (*axpby)(On, const Segments&, Factor a, const Real* x, Factor b, const Real* y, Real* out, double* sums,
                  std::uint64_t stride);
    /// The subtraction, unless its count is 0; then sums[segment * stride + i] := scalar product of pair i. A complex
    /// one, <x, y> with x conjugated, has two numbers, 2 i and 2 i + 1.
    void (*dots)(On, const Segments&, const Subtraction<Real>&, const Pair<Real>* pairs, std::uint64_t count,
                 double* sums, std::uint64_t stride);
    /// The subtraction alone.
    void (*subtract)(On, const Segments&, const Subtraction<Real>&);
    /// v[j] := sum_i c[j * count + i] v[i] for the first `kept` of `count` vectors, in place; c in pairs (re, im).
    /// Sums are of doubles. `scratch`: rotation_scratch() doubles.
    void (*rotate)(On, const Segments&, Real* const* v, std::uint64_t count, const double* c, std::uint64_t kept,
                   double* scratch);
};

/// Reals that a thread of a host, and all threads of a device, rotate together.
inline constexpr std::uint64_t rotated_by_thread = 64, rotated_by_device = std::uint64_t{1} << 16;

/// Doubles of scratch memory to rotate `count` vectors, whose largest array has `reals` reals, by `threads` of a host.
template <class Backend>
constexpr std::uint64_t rotation_scratch(std::uint64_t count, std::uint64_t reals, int threads) {
    return count * (std::is_same_v<Backend, Cpu> ? rotated_by_thread * static_cast<std::uint64_t>(threads)
                                                 : std::min(rotated_by_device, reals));
}

/// Variants that this processor can run, the fastest first.
template <class Real>
const std::vector<VectorKernels<Cpu, Real>>& vector_variants(Arithmetic arithmetic);
/// The kernels of devices. Throws Error(internal) in a build without CUDA.
template <class Real>
const VectorKernels<Cuda, Real>& device_vector_kernels(Arithmetic arithmetic);

}  // namespace strata::vectors
