// SPDX-License-Identifier: BSD-3-Clause
// Lines of vectors in sectors of lattice symmetries (symmetric_sweeps_cpu.cpp): loops over lines, and the projection
// onto the sector.
#pragma once

#include <algorithm>
#include <type_traits>
#include <utility>

#include "kernels/lanczos/panel_rows.hpp"

namespace strata::lanczos::STRATA_ISA {

constexpr int line_bytes = 32;
template <class Real>
using Line = Lanes<Real, line_bytes>;
template <class Real>
constexpr std::uint64_t line = lanes<Real, line_bytes>;  // reals of a line, and rows that are transposed together
template <class Real>
[[gnu::always_inline]] inline Line<Real> load_line(const Real* p) {
    return load<Real, line_bytes>(p);
}
template <class Real>
[[gnu::always_inline]] inline void store_line(Real* p, std::type_identity_t<Line<Real>> v) {
    store<line_bytes>(p, v);
}
template <class Real>
[[gnu::always_inline]] inline Line<Real> all_lines(double x) {
    return all<Real, line_bytes>(x);
}

/// Hops move pairs of lines, which fill a register of 64 bytes; the last line of a group of odd order is moved by
/// itself. Pairs begin at multiples of 32 bytes.
constexpr int pair_bytes = 2 * line_bytes;
template <class Real>
[[gnu::always_inline]] inline Lanes<Real, pair_bytes> join(Line<Real> low, Line<Real> high) {
#if defined(__AVX512F__)
    return (Lanes<Real, pair_bytes>)_mm512_insertf64x4(_mm512_castpd256_pd512((__m256d)low), (__m256d)high, 1);
#else
    return {low, high};
#endif
}

/// Exchanges the lines (re, im) of a pair.
template <class Real>
[[gnu::always_inline]] inline Lanes<Real, pair_bytes> swap_lines(Lanes<Real, pair_bytes> v) {
    return flip<Real, pair_bytes, lanes<Real, line_bytes>>(v);
}

/// Number of vectors of 64 bytes that hold sums at a time.
#if defined(__AVX512F__)
constexpr int max_together = 20;
#else
constexpr int max_together = 5;
#endif

/// Calls of(n, i) for the parts i .. i + n - 1 of `count`, which have nearly equal lengths n of at most Max; n is a
/// constant. The lambdas of these loops are always inlined, since the compiler would otherwise keep sums that several
/// of them use in memory.
template <int Max, class Function>
[[gnu::always_inline]] inline void in_parts(std::uint32_t count, Function of) {
    if (count == 0) return;
    const std::uint32_t parts = (count + Max - 1) / Max, each = (count + parts - 1) / parts;
    const auto call = [&]<std::size_t... N>(std::uint32_t n, std::uint32_t i, std::index_sequence<N...>)
        __attribute__((always_inline)) {
        ((n == N + 1 ? of(std::integral_constant<int, N + 1>(), i) : void()), ...);
    };
    for (std::uint32_t i = 0; i < count; i += each)
        call(i + each <= count ? each : count - i, i, std::make_index_sequence<Max>());
}

/// Calls of(bytes, n, h) for n vectors of `bytes` bytes, which hold the lines from h on; bytes and n are constants.
template <int Max, class Function>
[[gnu::always_inline]] inline void in_pairs(std::uint32_t lines, Function of) {
    in_parts<Max>(
        lines / 2, [&](auto n, std::uint32_t pair)
                       __attribute__((always_inline)) { of(std::integral_constant<int, pair_bytes>(), n, 2 * pair); });
    if (lines % 2 == 1) of(std::integral_constant<int, line_bytes>(), std::integral_constant<int, 1>(), lines - 1);
}

/// Sizes of the parts of a block's memory; as many rows as a line has reals are transposed together.
template <class Real>
struct Shape {
    std::uint64_t order, reals, orbits;  ///< reals per element; orbits of one panel

    explicit Shape(const HamiltonianView& h)
        : order(h.symmetry.order), reals(h.layout.reals()), orbits(line<Real> / h.layout.reals()) {}
    /// Reals of the transposed rows of one orbit, [h][re or im][row].
    std::uint64_t of_orbit() const { return order * reals * line<Real>; }
};

/// The sign [g][h] of columns; without signs a constant.
template <bool Signed>
[[gnu::always_inline]] inline double sign_of(const double* signs, std::uint64_t at) {
    return Signed ? signs[at] : 1.0;
}

/// Replaces a row of one panel by its projection with the stabiliser of the row: x(h) := sum_g factor_g x(g^-1 h).
template <bool Signed, class Real>
void project_row(const HamiltonianView& h, std::uint64_t row, Real* x, Real* scratch) {
    const StabiliserView& s = h.symmetry.rows;
    for (std::uint32_t i = 0; i < h.symmetry.order; ++i) {
        Line<Real> sum = {};
        for (std::uint64_t e = s.first[row]; e < s.first[row + 1]; ++e) {
            const std::uint64_t at = s.element[e] * h.symmetry.order + i;
            const Line<Real> from = load_line(x + h.symmetry.left[at]);
            const double sign = sign_of<Signed>(h.symmetry.left_sign, at);
            sum = fma(all_lines<Real>(sign * s.re[e]), from, sum);
            if (s.im[e] != 0) sum = fma(all_lines<Real>(sign * s.im[e]), times_i<Real, line_bytes>(from), sum);
        }
        store_line(scratch + i * line<Real>, sum);
    }
    for (std::uint32_t i = 0; i < h.symmetry.order; ++i)
        store_line(x + i * line<Real>, load_line(scratch + i * line<Real>));
}

/// Replaces the transposed rows of an orbit, [h][re or im][row], by their projection with the stabiliser of the orbit:
/// x(h) := sum_g factor_g x(h g), real factors.
template <bool Signed, class Real>
void project_orbit(const HamiltonianView& h, std::uint64_t orbit, Real* x, Real* scratch) {
    const StabiliserView& s = h.symmetry.columns;
    const std::uint64_t reals = h.layout.reals(), size = h.symmetry.order * reals * line<Real>;
    for (std::uint32_t i = 0; i < h.symmetry.order; ++i)
        for (std::uint64_t k = 0; k < reals; ++k) {
            Line<Real> sum = {};
            for (std::uint64_t e = s.first[orbit]; e < s.first[orbit + 1]; ++e) {
                const std::uint64_t at = s.element[e] * h.symmetry.order + i;
                sum = fma(all_lines<Real>(sign_of<Signed>(h.symmetry.right_sign, at) * s.re[e]),
                          load_line(x + h.symmetry.right[at] + k * line<Real>), sum);
            }
            store_line(scratch + (i * reals + k) * line<Real>, sum);
        }
    for (std::uint64_t i = 0; i < size; i += line<Real>) store_line(x + i, load_line(scratch + i));
}

/// Transposes rows of one panel, as many as a line has numbers, `width` apart, to columns[orbit][h][re or im][row].
template <class Real>
void transpose_rows(const Shape<Real>& shape, std::uint64_t width, const Real* x, Real* columns) {
    for (std::uint64_t i = 0; i < shape.order; ++i) {
        Line<Real> rows[line<Real>];
        for (std::uint64_t row = 0; row < line<Real>; ++row) rows[row] = load_line(x + row * width + i * line<Real>);
        transpose<Real, line_bytes>(rows);
        Real* out = columns + i * shape.reals * line<Real>;
        for (std::uint64_t real = 0; real < line<Real>; ++real)
            store_line(out + real / shape.reals * shape.of_orbit() + real % shape.reals * line<Real>, rows[real]);
    }
}

/// Transposes columns back: calls finish(address, numbers) for every line of the rows.
template <int Reals, class Real, class Finish>
[[gnu::always_inline]] inline void for_transposed_columns(const Shape<Real>& shape, std::uint64_t width,
                                                          const Real* columns, Real* x, Finish finish) {
    for (std::uint64_t i = 0; i < shape.order; ++i) {
        Line<Real> rows[line<Real>];
        for (std::uint64_t real = 0; real < line<Real>; ++real)
            rows[real] = load_line(columns + real / Reals * shape.of_orbit() + (i * Reals + real % Reals) * line<Real>);
        transpose<Real, line_bytes>(rows);
        for (std::uint64_t row = 0; row < line<Real>; ++row) finish(x + row * width + i * line<Real>, rows[row]);
    }
}

/// Projects some rows of one panel, as many as a line has numbers, onto the sector; this changes only rows and orbits
/// that further elements of the group leave unchanged. Without it rounding would mix in states of other sectors. `x`:
/// address of the first row, that of up bit string `first_row`. `columns` returns the rows transposed.
template <bool Signed, class Real>
void project_rows(const HamiltonianView& h, std::uint64_t first_row, std::uint64_t panel, Real* x, Real* columns,
                  Real* scratch) {
    const Shape<Real> shape(h);
    const std::uint64_t width = h.layout.panel, last_row = std::min(first_row + line<Real>, h.up.dim);
    for (std::uint64_t row = first_row; row < last_row; ++row)
        if (!h.symmetry.rows.empty(row)) project_row<Signed>(h, row, x + (row - first_row) * width, scratch);
    transpose_rows(shape, width, x, columns);
    bool projected = false;
    for (std::uint64_t i = 0; i < shape.orbits && panel * shape.orbits + i < h.down.dim; ++i) {
        const std::uint64_t orbit = panel * shape.orbits + i;
        if (h.symmetry.columns.empty(orbit)) continue;
        project_orbit<Signed>(h, orbit, columns + i * shape.of_orbit(), scratch);
        projected = true;
    }
    if (!projected) return;
    const auto put = [](Real* to, Line<Real> numbers) { store_line(to, numbers); };
    if (shape.reals == 1)
        for_transposed_columns<1>(shape, width, columns, x, put);
    else
        for_transposed_columns<2>(shape, width, columns, x, put);
}

/// Calls add(i, numbers) for N vectors of `Bytes` from line `first` on, with the numbers that a hop with group element
/// `element` reads for vector i. `Parts`: number of entries of `offsets` for one vector, the offsets of its parts in
/// `from`, and of `signs`, which multiply them where they are `Signed`. Most hops have the identity, which needs no table.
template <int N, int Bytes, int Parts, bool Signed, class Real, class Add>
[[gnu::always_inline]] inline void for_lines(const HamiltonianView& h, const std::uint32_t* offsets,
                                             const double* signs, std::uint32_t element, std::uint32_t first,
                                             const Real* from, Add add) {
    constexpr std::uint64_t stride = Bytes / sizeof(Real);
    if (element == 0) {
        const Real* at = from + first * (stride / Parts);
        asm("" : "+r"(at));  // one address with N displacements, where the compiler would keep N offsets in memory
#pragma GCC unroll 32
        for (int i = 0; i < N; ++i) add(i, load_unaligned<Real, Bytes>(at + static_cast<std::uint64_t>(i) * stride));
        return;
    }
    const std::uint32_t* to = offsets + element * h.symmetry.order + first;
    [[maybe_unused]] const double* sign = Signed ? signs + element * h.symmetry.order + first : nullptr;
#pragma GCC unroll 32
    for (int i = 0; i < N; ++i) {
        Lanes<Real, Bytes> x;
        if constexpr (Parts == 2)
            x = join<Real>(load_line(from + to[2 * i]), load_line(from + to[2 * i + 1]));
        else
            x = load_unaligned<Real, Bytes>(from + to[i]);
        if constexpr (Signed && Parts == 2)
            x = x * join<Real>(all_lines<Real>(sign[2 * i]), all_lines<Real>(sign[2 * i + 1]));
        else if constexpr (Signed)
            x = x * all<Real, Bytes>(sign[i]);
        add(i, x);
    }
}

/// Scalar products of one tile: of the pairs of lines, and of the last lines in groups of odd order.
template <class Real>
class LineDots {
  public:
    [[gnu::always_inline]] void add(Lanes<Real, pair_bytes> v, Lanes<Real, pair_bytes> w) { pairs_.add(v, w); }
    [[gnu::always_inline]] void add(Line<Real> v, Line<Real> w) { last_.add(v, w); }
    TileSums sums() const {
        const TileSums a = pairs_.sums(), b = last_.sums();
        return {a.vw + b.vw, a.ww + b.ww, a.vv + b.vv};
    }

  private:
    TileDots<Real, pair_bytes> pairs_;
    TileDots<Real, line_bytes> last_;
};

/// w += sum for a line or a pair; adds the products of v and the new w to `dots`.
template <int Bytes, class Real>
[[gnu::always_inline]] inline void add_lines(const Real* v, std::type_identity_t<Lanes<Real, Bytes>> sum, Real* w,
                                             LineDots<Real>& dots) {
    sum += load_unaligned<Real, Bytes>(w);
    store_unaligned<Bytes>(w, sum);
    dots.add(load_unaligned<Real, Bytes>(v), sum);
}

}  // namespace strata::lanczos::STRATA_ISA
