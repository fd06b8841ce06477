// SPDX-License-Identifier: BSD-3-Clause
// A tile of V vectors x N scalars in registers, the inner loop of all products of a block:
//
//     sum[j][v] += vector_v(step) * scalar_j(step)        over all steps, every sum one chain of fused multiply-adds
//
// Vectors and scalars are given by the way in which they move from step to step. Tiles are as large as registers allow:
// 3 x 9 with 32 registers of 64 bytes (27 sums, 3 vectors, 1 scalar), 3 x 4 with 16 registers of 32 bytes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/kronecker/block_product.hpp"
#include "kernels/lanes.hpp"

namespace strata::kronecker::STRATA_ISA {

#if defined(__AVX512F__)
constexpr int register_bytes = 64, max_columns = 9;
#elif defined(__FMA__)
constexpr int register_bytes = 32, max_columns = 4;
#else
constexpr int register_bytes = 16, max_columns = 4;
#endif
constexpr int max_vectors = 3;

template <class Real>
struct Register;
template <>
struct Register<double> {
    typedef double Type __attribute__((vector_size(register_bytes)));
    typedef double Unaligned __attribute__((vector_size(register_bytes), aligned(8), may_alias));
};
template <>
struct Register<float> {
    typedef float Type __attribute__((vector_size(register_bytes)));
    typedef float Unaligned __attribute__((vector_size(register_bytes), aligned(4), may_alias));
};
template <class Real>
using Vector = typename Register<Real>::Type;
/// Reals of a register.
template <class Real>
constexpr int lanes = register_bytes / sizeof(Real);

template <class Real>
[[gnu::always_inline]] inline Vector<Real> load(const Real* p) {
    return *reinterpret_cast<const typename Register<Real>::Unaligned*>(p);
}
template <class Real>
[[gnu::always_inline]] inline void store(Real* p, Vector<Real> v) {
    *reinterpret_cast<typename Register<Real>::Unaligned*>(p) = v;
}

/// a * b + c, rounded once.
template <class V>
[[gnu::always_inline]] inline V fused(V a, V b, V c) {
#if defined(__AVX512F__)
    return strata::STRATA_ISA::fma(a, b, c);
#elif defined(__FMA__)
    if constexpr (sizeof(a[0]) == 8)
        return (V)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
    else
        return (V)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
#else
    for (unsigned i = 0; i < sizeof(V) / sizeof(a[0]); ++i) {
        if constexpr (sizeof(a[0]) == 8)
            c[i] = __builtin_fma(a[i], b[i], c[i]);
        else
            c[i] = __builtin_fmaf(a[i], b[i], c[i]);
    }
    return c;
#endif
}

/// Brings a range of memory into the second cache, a little at every step of the tiles.
class PacedPrefetch {
  public:
    PacedPrefetch(const Prefetch& range, std::uint64_t steps)
        : at_(static_cast<const char*>(range.first)), rate_(steps == 0 ? 0 : range.bytes / steps) {}
    [[gnu::always_inline]] void step() {
        __builtin_prefetch(at_, 0, 2);
        at_ += rate_;
    }

  private:
    const char* at_;
    std::uint64_t rate_;  ///< bytes per step
};

/// Positions that lie `spacing` apart and move by `stride` from one step to the next, and by `outer` more after every
/// inner loop.
template <class Real>
struct Strided {
    const Real* at;
    std::ptrdiff_t spacing, stride, outer = 0;

    [[gnu::always_inline]] const Real* operator()(int i) const { return at + i * spacing; }
    [[gnu::always_inline]] void next() { at += stride; }
    [[gnu::always_inline]] void next_outer() { at += outer; }
};

/// Adjacent scalars, or adjacent vectors, that move by `stride`.
template <class Real, int Spacing>
struct Adjacent {
    const Real* at;
    std::ptrdiff_t stride;

    [[gnu::always_inline]] const Real* operator()(int i) const { return at + i * Spacing; }
    [[gnu::always_inline]] void next() { at += stride; }
    [[gnu::always_inline]] void next_outer() {}
};

/// Positions in the fused left matrix that move from row a to row a + 1, that is by K' rows m, from panel to panel.
/// Position i lies at column i / Operators and operator i % Operators from the first one.
template <class Real, int Operators>
struct RowWalk {
    static constexpr std::ptrdiff_t panel = BlockLayout<Real>::panel;
    const Real* at;
    std::ptrdiff_t width;          ///< reals from one column to the next
    std::ptrdiff_t lane;           ///< place in the panel
    std::ptrdiff_t lanes_per_row;  ///< K' modulo a panel
    std::ptrdiff_t stride;         ///< reals from row to row unless one more panel ends between them
    std::ptrdiff_t crossing;       ///< reals to be added if one does

    [[gnu::always_inline]] const Real* operator()(int i) const { return at + (i / Operators) * width + i % Operators; }
    [[gnu::always_inline]] void next() {
        lane += lanes_per_row;
        const std::ptrdiff_t crosses = lane >= panel ? -1 : 0;
        lane -= crosses & panel;
        at += stride + (crosses & crossing);
    }
    [[gnu::always_inline]] void next_outer() {}
};

/// Sums in scratch memory, full vectors; those of scalar j lie at (j / Group) spacing + (j % Group) minor. They go on
/// from what is there, or start from zero.
template <class Real, int Group = 1>
struct Scratch {
    Real* at;
    std::ptrdiff_t spacing, vector_spacing;
    bool resumed;
    std::ptrdiff_t minor = 0;

    [[gnu::always_inline]] Real* place(int j, int v) const {
        return at + (j / Group) * spacing + (j % Group) * minor + v * vector_spacing;
    }
    [[gnu::always_inline]] Vector<Real> begin(int j, int v) const {
        if (resumed) return load(place(j, v));
        return Vector<Real>{};
    }
    [[gnu::always_inline]] void end(int j, int v, Vector<Real> sum) const { store(place(j, v), sum); }
};

/// Columns of a result with `rows` rows in the tile, the last vector in part.
template <class Real>
struct Rows {
    Real* at;
    std::ptrdiff_t spacing;
    int rows;
    Update update;

    [[gnu::always_inline]] Vector<Real> begin(int, int) const { return Vector<Real>{}; }
    [[gnu::always_inline]] void end(int j, int v, Vector<Real> sum) const {
        Real* y = at + j * spacing + v * lanes<Real>;
        const int count = rows - v * lanes<Real>;
        if (count >= lanes<Real>)
            store(y, update == Update::set ? sum : load(y) + sum);
        else
            for (int i = 0; i < count; ++i) y[i] = update == Update::set ? sum[i] : y[i] + sum[i];
    }
};

/// Calls f.operator()<V, N>() with V = v of 1..3 and N = n of 1..Columns.
template <int Columns, class F, std::size_t... I>
void with_tile(int v, int n, F& f, std::index_sequence<I...>) {
    using Call = void (*)(F&);
    static constexpr Call calls[] = {
        [](F& g) { g.template operator()<int(I) / Columns + 1, int(I) % Columns + 1>(); }...};
    calls[(v - 1) * Columns + n - 1](f);
}
template <int Columns, class F>
void with_tile(int v, int n, F f) {
    with_tile<Columns>(v, n, f, std::make_index_sequence<static_cast<std::size_t>(max_vectors * Columns)>());
}

template <int V, int N, class Real, class Vectors, class Scalars, class Result>
[[gnu::always_inline]] inline void tile(std::uint64_t outer, std::uint64_t inner, Vectors vectors, Scalars scalars,
                                        const Result& result, PacedPrefetch& prefetch) {
    Vector<Real> sum[N][V];
#pragma GCC unroll 9
    for (int j = 0; j < N; ++j)
#pragma GCC unroll 3
        for (int v = 0; v < V; ++v) sum[j][v] = result.begin(j, v);
    PacedPrefetch paced = prefetch;
    for (std::uint64_t o = 0; o < outer; ++o) {
        for (std::uint64_t i = 0; i < inner; ++i) {
            paced.step();
            Vector<Real> a[V];
#pragma GCC unroll 3
            for (int v = 0; v < V; ++v) a[v] = load(vectors(v));
#pragma GCC unroll 9
            for (int j = 0; j < N; ++j) {
                const Vector<Real> b = *scalars(j) - Vector<Real>{};
#pragma GCC unroll 3
                for (int v = 0; v < V; ++v) sum[j][v] = fused(a[v], b, sum[j][v]);
            }
            vectors.next();
            scalars.next();
        }
        vectors.next_outer();
        scalars.next_outer();
    }
    prefetch = paced;
#pragma GCC unroll 9
    for (int j = 0; j < N; ++j)
#pragma GCC unroll 3
        for (int v = 0; v < V; ++v) result.end(j, v, sum[j][v]);
}

}  // namespace strata::kronecker::STRATA_ISA
