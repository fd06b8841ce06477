// SPDX-License-Identifier: BSD-3-Clause
// Tile of V vectors x N scalars in registers, the inner loop of all products of a block:
//
//     sum[j][v] += vector_v(step) * scalar_j(step)        over all steps, every sum one chain of fused multiply-adds
//
// Types of vectors and scalars define their addresses from step to step. Tiles are as large as registers allow: 3 x 9
// with 32 registers of 64 bytes (27 sums, 3 vectors, 1 scalar), 3 x 8 with the 32 registers of ARM, 3 x 4 or 2 x 6 with
// 16 registers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "kernels/kronecker/block_product.hpp"
#include "kernels/lanes.hpp"

namespace strata::kronecker::STRATA_ISA {

using strata::STRATA_ISA::FirstLanes;
using strata::STRATA_ISA::fma;
using strata::STRATA_ISA::register_bytes;
using strata::STRATA_ISA::VectorOf;

constexpr int max_vectors = 3;
/// Largest number of scalars of a tile of `vectors` vectors.
constexpr int max_scalars([[maybe_unused]] int vectors) {
#if defined(__aarch64__)
    return 8;
#else
    return register_bytes == 64 ? 9 : vectors == max_vectors ? 4 : 6;
#endif
}
/// Wide registers can be filled by half at the end of the rows, which wastes fewer lanes. Sizes of tiles are in parts
/// of registers.
constexpr int register_parts = register_bytes == 64 ? 2 : 1;
constexpr int max_parts = max_vectors * register_parts;
/// Registers of which at least a part is used.
constexpr int vectors_of(int parts) { return (parts + register_parts - 1) / register_parts; }

template <class Real>
using Vector = VectorOf<Real, register_bytes>;
template <class Real>
using PartVector = VectorOf<Real, register_bytes / register_parts>;
/// Reals of a register, and of a part of one.
template <class Real>
constexpr int lanes = register_bytes / sizeof(Real);
template <class Real>
constexpr int part_lanes = lanes<Real> / register_parts;

constexpr std::uint64_t ceil_div(std::uint64_t a, std::uint64_t b) { return (a + b - 1) / b; }

/// Calls f(first, size) for parts of `count` of nearly equal size, at most `largest`, the longer ones first.
template <class F>
[[gnu::always_inline]] inline void for_parts(std::uint64_t count, std::uint64_t largest, F f) {
    if (count <= largest) return count == 0 ? void() : f(std::uint64_t{0}, count);
    const std::uint64_t parts = ceil_div(count, largest), base = count / parts, longer = count % parts;
    for (std::uint64_t i = 0, first = 0; i < parts; ++i) {
        const std::uint64_t size = base + (i < longer ? 1 : 0);
        f(first, size);
        first += size;
    }
}

/// Calls f(first row, number of parts of registers) for tiles of `rows` rows.
template <class Real, class F>
void for_row_registers(std::uint64_t rows, F f) {
    const std::uint64_t parts = ceil_div(rows, part_lanes<Real>);
    for_parts(ceil_div(parts, register_parts), max_vectors, [&](std::uint64_t first, std::uint64_t vectors) {
        f(first * lanes<Real>, int(std::min(vectors * register_parts, parts - first * register_parts)));
    });
}

template <class V, class Real>
[[gnu::always_inline]] inline typename V::Type load(const Real* p) {
    return *reinterpret_cast<const typename V::Unaligned*>(p);
}
template <class V, class Real>
[[gnu::always_inline]] inline void store(Real* p, typename V::Type v) {
    *reinterpret_cast<typename V::Unaligned*>(p) = v;
}

/// Prefetches a range of memory into the second-level cache, with one prefetch at every step of the tiles.
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

/// Steps of a tile: `outer` loops of `inner` steps each, the last of which has `last` steps.
struct Steps {
    std::uint64_t outer, inner, last;
};

/// Positions that lie `spacing` apart, advance by `stride` after every step, and by `outer` more after every inner
/// loop.
template <class Real>
struct Strided {
    const Real* at;
    std::ptrdiff_t spacing, stride, outer = 0;

    [[gnu::always_inline]] const Real* operator()(int i) const { return at + i * spacing; }
    [[gnu::always_inline]] void next() { at += stride; }
    [[gnu::always_inline]] void next_outer() { at += outer; }
    template <int>
    [[gnu::always_inline]] void fetch_scalars_ahead() const {}
};

/// Adjacent scalars, or adjacent vectors, that advance by `stride` after every step.
template <class Real, int Spacing>
struct Adjacent {
    const Real* at;
    std::ptrdiff_t stride;

    [[gnu::always_inline]] const Real* operator()(int i) const { return at + i * Spacing; }
    template <class V>
    [[gnu::always_inline]] typename V::Type vector(int v) const {
        return load<V>((*this)(v));
    }
    [[gnu::always_inline]] void next() { at += stride; }
    [[gnu::always_inline]] void next_outer() {}
    template <int>
    [[gnu::always_inline]] void fetch_vectors_ahead() const {}
    template <int>
    [[gnu::always_inline]] void fetch_scalars_ahead() const {}
};

/// Count vectors of the rows of a matrix with columns `stride` apart. Only the valid lanes of the last one, of type
/// Last, are read, since the memory behind it may not be allocated.
template <class Real, class Last, int Count>
struct MatrixRows {
    const Real* at;
    std::ptrdiff_t stride;
    FirstLanes<Real, Last> last;

    template <class V>
    [[gnu::always_inline]] typename V::Type vector(int v) const {
        if constexpr (std::is_same_v<V, Last>)
            if (v == Count - 1) return last.load(at + v * lanes<Real>);
        return load<V>(at + v * lanes<Real>);
    }
    [[gnu::always_inline]] void next() { at += stride; }
    [[gnu::always_inline]] void next_outer() {}
    template <int>
    [[gnu::always_inline]] void fetch_vectors_ahead() const {}
};

/// `Parts` parts of vectors of the rows of a matrix that has `rows` rows from `at` on.
template <int Parts, class Real>
auto matrix_rows(const Real* at, std::ptrdiff_t stride, std::uint64_t rows) {
    constexpr int count = vectors_of(Parts);
    using Last = std::conditional_t<Parts % register_parts == 0, Vector<Real>, PartVector<Real>>;
    constexpr std::uint64_t size = sizeof(typename Last::Type) / sizeof(Real), before = (count - 1) * lanes<Real>;
    return MatrixRows<Real, Last, count>{at, stride, FirstLanes<Real, Last>(int(std::min(size, rows - before)))};
}

/// Positions in the fused left matrix that advance from row a to row a + 1, that is by K' rows m, across panels.
/// Scalar i is i / Operators columns and i % Operators operators from the first one, and so is vector v with Operators
/// vectors of operators in each column. The last outer loop reads the rows of a last panel with fewer lanes, where
/// columns are closer to each other.
template <class Real, int Operators>
struct RowWalk {
    const std::ptrdiff_t* row;  ///< offset of the row in a column
    const Real* column;
    std::ptrdiff_t width;  ///< reals from one column to the next
    const Real* last_column;
    std::ptrdiff_t last_width;  ///< those of a narrower last panel
    std::ptrdiff_t ahead;       ///< distance in columns to those that the next tile reads; 0: cached

    [[gnu::always_inline]] const Real* operator()(int i) const {
        return column + *row + (i / Operators) * width + i % Operators;
    }
    template <class V>
    [[gnu::always_inline]] typename V::Type vector(int v) const {
        return load<V>(column + *row + (v / Operators) * width + (v % Operators) * lanes<Real>);
    }
    [[gnu::always_inline]] void next() { ++row; }
    [[gnu::always_inline]] void next_outer() {
        column = last_column;
        width = last_width;
    }
    /// Panels lie too far apart for the hardware to prefetch them. The vectors of a column are in one or two cache
    /// lines.
    template <int Count>
    [[gnu::always_inline]] void fetch_vectors_ahead() const {
        fetch_columns_ahead<Count / Operators>();
    }
    /// A cache line holds the scalars of one column for several steps, so that each step prefetches one column of a
    /// tile in turn.
    template <int Count>
    [[gnu::always_inline]] void fetch_scalars_ahead() const {
        if constexpr (Operators >= 4) return fetch_columns_ahead<(Count + Operators - 1) / Operators>();
        const std::uint64_t turn = static_cast<std::uint64_t>(*row) / Operators % (64 / (sizeof(Real) * Operators));
        __builtin_prefetch(column + *row + (ahead + static_cast<std::ptrdiff_t>(turn)) * width, 0, 2);
    }

  private:
    template <int Columns>
    [[gnu::always_inline]] void fetch_columns_ahead() const {
#pragma GCC unroll 3
        for (int i = 0; i < Columns; ++i) __builtin_prefetch(column + *row + (ahead + i) * width, 0, 2);
    }
};

/// Sums in scratch memory, full vectors; the sums of scalar j have the offset (j / Group) spacing + (j % Group) minor.
/// They continue from the stored values if `resumed`, else from zero.
template <class Real, int Group = 1>
struct Scratch {
    Real* at;
    std::ptrdiff_t spacing, vector_spacing;
    bool resumed;
    std::ptrdiff_t minor = 0;

    [[gnu::always_inline]] Real* place(int j, int v) const {
        return at + (j / Group) * spacing + (j % Group) * minor + v * vector_spacing;
    }
    template <class V>
    [[gnu::always_inline]] typename V::Type begin(int j, int v) const {
        if (resumed) return load<V>(place(j, v));
        return typename V::Type{};
    }
    template <class V>
    [[gnu::always_inline]] void end(int j, int v, typename V::Type sum) const {
        store<V>(place(j, v), sum);
    }
};

/// Columns of a result with `rows` rows in the tile; the last vector may be stored in part.
template <class Real>
struct Rows {
    Real* at;
    std::ptrdiff_t spacing;
    int rows;
    Update update;

    template <class V>
    [[gnu::always_inline]] typename V::Type begin(int, int) const {
        return typename V::Type{};
    }
    template <class V>
    [[gnu::always_inline]] void end(int j, int v, typename V::Type sum) const {
        constexpr int size = sizeof(sum) / sizeof(Real);
        Real* y = at + j * spacing + v * lanes<Real>;
        const int count = rows - v * lanes<Real>;
        if (count >= size) {
            store<V>(y, update == Update::set ? sum : load<V>(y) + sum);
        } else {
            const FirstLanes<Real, V> first(count);
            first.store(y, update == Update::set ? sum : first.load(y) + sum);
        }
    }
};

/// Calls f.operator()<P, N>() with P = `parts`, a multiple of Unit up to 3 registers, and N = n of 1..Columns, at most
/// max_scalars of the number of vectors.
template <int Columns, int Unit, class F, std::size_t... I>
void with_tile(int parts, int n, F& f, std::index_sequence<I...>) {
    using Call = void (*)(F&);
    static constexpr Call calls[] = {[](F& g) {
        constexpr int p = (int(I) / Columns + 1) * Unit, scalars = int(I) % Columns + 1;
        if constexpr (scalars <= max_scalars(vectors_of(p))) g.template operator()<p, scalars>();
    }...};
    calls[(parts / Unit - 1) * Columns + n - 1](f);
}
template <int Columns, int Unit, class F>
void with_tile(int parts, int n, F f) {
    with_tile<Columns, Unit>(parts, n, f, std::make_index_sequence<std::size_t(max_parts / Unit * Columns)>());
}

/// Computes a tile of `Parts` parts of vectors x N scalars. Only an odd number of half registers has the sums `part`.
template <int Parts, int N, class Real, class Vectors, class Scalars, class Result>
[[gnu::always_inline]] inline void tile(const Steps& steps, Vectors vectors, Scalars scalars, const Result& result,
                                        PacedPrefetch& prefetch) {
    constexpr int V = Parts / register_parts;
    constexpr bool has_part = Parts % register_parts != 0;
    using Whole = Vector<Real>;
    using Part = PartVector<Real>;
    typename Whole::Type sum[N][V + 1];
    typename Part::Type part[N];
#pragma GCC unroll 9
    for (int j = 0; j < N; ++j) {
#pragma GCC unroll 3
        for (int v = 0; v < V; ++v) sum[j][v] = result.template begin<Whole>(j, v);
        if constexpr (has_part) part[j] = result.template begin<Part>(j, V);
    }
    PacedPrefetch paced = prefetch;
    for (std::uint64_t o = 1; o <= steps.outer; ++o) {
        const std::uint64_t inner = o < steps.outer ? steps.inner : steps.last;
        for (std::uint64_t i = 0; i < inner; ++i) {
            paced.step();
            vectors.template fetch_vectors_ahead<V>();
            scalars.template fetch_scalars_ahead<N>();
            typename Whole::Type a[V + 1];
            typename Part::Type last;
#pragma GCC unroll 3
            for (int v = 0; v < V; ++v) a[v] = vectors.template vector<Whole>(v);
            if constexpr (has_part) last = vectors.template vector<Part>(V);
#pragma GCC unroll 9
            for (int j = 0; j < N; ++j) {
                const Real b = *scalars(j);
#pragma GCC unroll 3
                for (int v = 0; v < V; ++v) sum[j][v] = fma(a[v], b - typename Whole::Type{}, sum[j][v]);
                if constexpr (has_part) part[j] = fma(last, b - typename Part::Type{}, part[j]);
            }
            vectors.next();
            scalars.next();
        }
        vectors.next_outer();
        scalars.next_outer();
    }
    prefetch = paced;
#pragma GCC unroll 9
    for (int j = 0; j < N; ++j) {
#pragma GCC unroll 3
        for (int v = 0; v < V; ++v) result.template end<Whole>(j, v, sum[j][v]);
        if constexpr (has_part) result.template end<Part>(j, V, part[j]);
    }
}

}  // namespace strata::kronecker::STRATA_ISA
