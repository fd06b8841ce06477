// SPDX-License-Identifier: BSD-3-Clause
// A pass over the state in three trips over every tile, which stays in the second cache:
//
//     1   T of the low bits of the block index (and of the lanes), 128 blocks at a time, in the first cache
//     2   for every k: the 2^R blocks that differ in u go to registers; T of u, D, T of u
//     3   as trip 1, in reverse order
//
// Bits between the two sets are transformed by a trip of their own. T takes the bits in ascending order before D and in
// descending order after it, so that the bits of the result do not depend on how they are grouped into trips.
#include <algorithm>

#include "kernels/lanes.hpp"
#include "kernels/trotter/pass_kernels.hpp"

namespace strata::trotter::STRATA_ISA {

using namespace strata::STRATA_ISA;
namespace {

template <class Real>
using Vector = strata::STRATA_ISA::Lanes<Real>;

constexpr int group_bits = StateLayout::group_bits;
/// Many ranks of a node, whose rows are few groups each, have many bits between those of a group and u.
constexpr int max_top_bits = 4, max_middle_bits = 6, max_m_bits = 8;
static_assert(max_m_bits + 3 + max_top_bits == max_tile_block_bits);

template <class Real>
struct ComplexVector {
    Vector<Real> re, im;
    [[gnu::always_inline]] static ComplexVector load(const Real* p) {
        return {strata::STRATA_ISA::load(p), strata::STRATA_ISA::load(p + lanes<Real>)};
    }
    [[gnu::always_inline]] friend ComplexVector operator*(const ComplexVector& a, const ComplexVector& b) {
        return {fma(a.re, b.re, -(a.im * b.im)), fma(a.re, b.im, a.im * b.re)};
    }
};

enum class Order { ascending, descending };

/// (a, b) -> (a + b, a - b) for all pairs of 2^Bits vectors whose indices differ in one bit, for every bit.
template <int Bits, Order order, class V>
[[gnu::always_inline]] inline void transform(V* v) {
#pragma GCC unroll 4
    for (int i = 0; i < Bits; ++i) {
        const int step = 1 << (order == Order::ascending ? i : Bits - 1 - i);
#pragma GCC unroll 8
        for (int pair = 0; pair < (1 << Bits) / 2; ++pair) {
            const int low = (pair & (step - 1)) | ((pair & ~(step - 1)) << 1);
            const V a = v[low], b = v[low + step];
            v[low] = a + b;
            v[low + step] = a - b;
        }
    }
}

template <class Real, std::size_t S, std::size_t... L>
[[gnu::always_inline]] inline Vector<Real> transform_lane(Vector<Real> v, std::index_sequence<L...>) {
    const Vector<Real> partner = __builtin_shuffle(v, typename Simd<Real>::Index{(L ^ S)...});
    return fma(v, Vector<Real>{((L & S) == 0 ? Real(1) : Real(-1))...}, partner);
}
template <class Real, std::size_t S>
[[gnu::always_inline]] inline Vector<Real> transform_lane(Vector<Real> v) {
    return transform_lane<Real, S>(v, std::make_index_sequence<lanes<Real>>());
}

/// The transform of the lane bits.
template <Order order, class Real>
[[gnu::always_inline]] inline Vector<Real> transform_lanes(Vector<Real> v) {
    if constexpr (order == Order::ascending) {
        v = transform_lane<Real, 4>(transform_lane<Real, 2>(transform_lane<Real, 1>(v)));
        if constexpr (lanes<Real> == 16) v = transform_lane<Real, 8>(v);
    } else {
        if constexpr (lanes<Real> == 16) v = transform_lane<Real, 8>(v);
        v = transform_lane<Real, 1>(transform_lane<Real, 2>(transform_lane<Real, 4>(v)));
    }
    return v;
}

/// Transforms `Bits` bits of the block index: 2^Bits vectors at p, p + stride, ... The lanes are transformed before the
/// bits in ascending order, and after them in descending order.
template <int Bits, Order order, bool with_lanes, class Real>
[[gnu::always_inline]] inline void transform_vectors(Real* p, std::uint64_t stride) {
    Vector<Real> v[1 << Bits];
#pragma GCC unroll 16
    for (int i = 0; i < 1 << Bits; ++i) {
        v[i] = load(p + i * stride);
        if constexpr (with_lanes && order == Order::ascending) v[i] = transform_lanes<order, Real>(v[i]);
    }
    transform<Bits, order>(v);
#pragma GCC unroll 16
    for (int i = 0; i < 1 << Bits; ++i) {
        if constexpr (with_lanes && order == Order::descending) v[i] = transform_lanes<order, Real>(v[i]);
        store(p + i * stride, v[i]);
    }
}

/// The same for all blocks of a group of 2^bits blocks, for `Bits` of them from bit `first` on.
template <int Bits, Order order, bool with_lanes, class Real>
void transform_bits(Real* group, std::uint64_t stride, int bits, int first) {
    const std::uint64_t step = std::uint64_t{1} << first, count = std::uint64_t{1} << bits;
    for (std::uint64_t high = 0; high < count; high += step << Bits)
        for (std::uint64_t low = 0; low < step; ++low) {
            Real* p = group + (high + low) * stride;
            transform_vectors<Bits, order, with_lanes>(p, stride << first);
            transform_vectors<Bits, order, with_lanes>(p + lanes<Real>, stride << first);
        }
}

template <Order order, bool with_lanes, class Real>
void transform_bits(int count, Real* group, std::uint64_t stride, int bits, int first) {
    switch (count) {
        case 0: return with_lanes ? transform_bits<0, order, with_lanes>(group, stride, bits, first) : void();
        case 1: return transform_bits<1, order, with_lanes>(group, stride, bits, first);
        case 2: return transform_bits<2, order, with_lanes>(group, stride, bits, first);
        case 3: return transform_bits<3, order, with_lanes>(group, stride, bits, first);
        default: return transform_bits<4, order, with_lanes>(group, stride, bits, first);
    }
}

/// The transform of a group of 2^bits blocks, at most 128, in one or two sweeps.
template <Order order, bool with_lanes, class Real>
void transform_group(Real* group, std::uint64_t stride, int bits) {
    const int first = bits < 4 ? bits : 4;
    if constexpr (order == Order::ascending) {
        transform_bits<order, with_lanes>(first, group, stride, bits, 0);
        transform_bits<order, false>(bits - first, group, stride, bits, first);
    } else {
        transform_bits<order, false>(bits - first, group, stride, bits, first);
        transform_bits<order, with_lanes>(first, group, stride, bits, 0);
    }
}

/// A tile as groups of 2^low blocks at equal distances; group g holds the blocks with index g in the bits above.
template <class Real>
struct Tile {
    Real* group[1 << (max_middle_bits + max_top_bits)];
    std::uint64_t stride;  ///< reals between the blocks of a group
    int low, middle, top;  ///< bits within a group, between, and of u

    Tile(const TileBlocks<Real>& blocks, std::uint64_t tile, int top_bits)
        : stride(blocks.stride),
          low(std::min({group_bits, blocks.slab_bits, blocks.block_bits - top_bits})),
          middle(blocks.block_bits - top_bits - low),
          top(top_bits) {
        for (std::uint64_t g = 0; g < std::uint64_t{1} << (middle + top); ++g) group[g] = blocks.block(tile, g << low);
    }
};

/// The transform of `Bits` of the bits between those of a group and u, from the one called `first` on: vectors at the
/// same place of 2^Bits groups.
template <int Bits, Order order, class Real>
void transform_middle(const Tile<Real>& tile, int first) {
    const std::uint64_t step = std::uint64_t{1} << first, groups = std::uint64_t{1} << (tile.middle + tile.top);
    for (std::uint64_t high = 0; high < groups; high += step << Bits)
        for (std::uint64_t g = high; g < high + step; ++g)
            for (std::uint64_t j = 0; j < std::uint64_t{1} << tile.low; ++j)
                for (int part = 0; part < 2; ++part) {
                    Vector<Real> v[1 << Bits];
                    const std::uint64_t at = j * tile.stride + part * lanes<Real>;
#pragma GCC unroll 16
                    for (int i = 0; i < 1 << Bits; ++i) v[i] = load(tile.group[g + i * step] + at);
                    transform<Bits, order>(v);
#pragma GCC unroll 16
                    for (int i = 0; i < 1 << Bits; ++i) store(tile.group[g + i * step] + at, v[i]);
                }
}

template <Order order, class Real>
void transform_middle(const Tile<Real>& tile, int first, int bits) {
    switch (bits) {
        case 0: return;
        case 1: return transform_middle<1, order>(tile, first);
        case 2: return transform_middle<2, order>(tile, first);
        case 3: return transform_middle<3, order>(tile, first);
        default: return transform_middle<4, order>(tile, first);
    }
}

/// All of these bits, at most four at a time.
template <Order order, class Real>
void transform_middle(const Tile<Real>& tile) {
    const int first = std::min(tile.middle, 4);
    if constexpr (order == Order::ascending) {
        transform_middle<order>(tile, 0, first);
        transform_middle<order>(tile, first, tile.middle - first);
    } else {
        transform_middle<order>(tile, first, tile.middle - first);
        transform_middle<order>(tile, 0, first);
    }
}

/// Trips 1 and 3: all bits but u.
template <Order order, bool with_lanes, class Real>
void transform_low(const Tile<Real>& tile) {
    if constexpr (order == Order::descending) transform_middle<order>(tile);
    for (std::uint64_t g = 0; g < std::uint64_t{1} << (tile.middle + tile.top); ++g)
        transform_group<order, with_lanes>(tile.group[g], tile.stride, tile.low);
    if constexpr (order == Order::ascending) transform_middle<order>(tile);
}

/// The factors V and C of a diagonal for one tile: those of the view times the factors by couplings to the outer bits.
template <class Real>
class TileFactors {
  public:
    TileFactors(const DiagonalView<Real>& d, std::uint64_t outer) {
        const double* flip = d.flip + 2 * outer * static_cast<std::uint64_t>(d.lanes + d.low + d.top);
        make_v(d, flip);
        make_c(d, flip + 2 * (d.lanes + d.q), {d.outer[2 * outer], d.outer[2 * outer + 1]});
    }
    alignas(64) Real v[(2 * lanes<Real>) << (max_top_bits + 3)];  ///< [u][q] complex vectors
    Real c[2 << (max_top_bits + max_m_bits)];                     ///< [u][m] complex numbers

  private:
    /// Fused explicitly: g++ 12 may fuse such a product although it was told not to, in some instruction sets only.
    struct Number {
        double re, im;
        Number operator*(const Number& b) const {
            return {__builtin_fma(re, b.re, -(im * b.im)), __builtin_fma(re, b.im, im * b.re)};
        }
    };
    /// out[x]: the product of the flip factors of all bits set in x.
    static void products(const double* flip, int bits, Number first, Number* out) {
        out[0] = first;
        for (int j = 0; j < bits; ++j)
            for (int x = 0; x < 1 << j; ++x) out[x + (1 << j)] = out[x] * Number{flip[2 * j], flip[2 * j + 1]};
    }
    void make_v(const DiagonalView<Real>& d, const double* flip) {
        Number on_lanes[lanes<Real>], on_q[8];
        products(flip, d.lanes, {1, 0}, on_lanes);
        products(flip + 2 * d.lanes, d.q, {1, 0}, on_q);
        ComplexVector<Real> lane;
        for (int l = 0; l < lanes<Real>; ++l) {
            lane.re[l] = static_cast<Real>(on_lanes[l].re);
            lane.im[l] = static_cast<Real>(on_lanes[l].im);
        }
        for (int q = 0; q < 1 << d.q; ++q) {
            const ComplexVector<Real> both = lane * ComplexVector<Real>{all<Real>(on_q[q].re), all<Real>(on_q[q].im)};
            for (int u = 0; u < 1 << d.top; ++u) {
                const std::uint64_t at = static_cast<std::uint64_t>((u << d.q) + q) * 2 * lanes<Real>;
                const ComplexVector<Real> product = ComplexVector<Real>::load(d.v + at) * both;
                store(v + at, product.re);
                store(v + at + lanes<Real>, product.im);
            }
        }
    }
    void make_c(const DiagonalView<Real>& d, const double* flip, Number tile) {
        Number on_m[1 << max_m_bits], on_u[1 << max_top_bits];
        products(flip, d.m, {1, 0}, on_m);
        products(flip + 2 * d.m, d.top, tile, on_u);
        for (int u = 0; u < 1 << d.top; ++u)
            for (int m = 0; m < 1 << d.m; ++m) {
                const int at = (u << d.m) + m;
                const Number product = Number{d.c[2 * at], d.c[2 * at + 1]} * (on_m[m] * on_u[u]);
                c[2 * at] = static_cast<Real>(product.re);
                c[2 * at + 1] = static_cast<Real>(product.im);
            }
    }
};

/// Trip 2 for one k: the blocks at `blocks[u] + at`.
template <int Top, bool before, bool after, class Real>
[[gnu::always_inline]] inline void diagonal_blocks(Real* const* blocks, std::uint64_t group_step, std::uint64_t at,
                                                   const Real* p, const Real* v, std::uint64_t v_step, const Real* c,
                                                   std::uint64_t c_step, std::ptrdiff_t next) {
    constexpr int count = 1 << Top;
    Vector<Real> re[count], im[count];
#pragma GCC unroll 16
    for (int u = 0; u < count; ++u) re[u] = load(blocks[u * group_step] + at);
    if constexpr (before) transform<Top, Order::ascending>(re);
#pragma GCC unroll 16
    for (int u = 0; u < count; ++u) im[u] = load(blocks[u * group_step] + at + lanes<Real>);
    if constexpr (before) transform<Top, Order::ascending>(im);
    const auto low = ComplexVector<Real>::load(p);
#pragma GCC unroll 16
    for (int u = 0; u < count; ++u) {
        const Real* cu = c + u * c_step;
        const ComplexVector<Real> factor = low * ComplexVector<Real>::load(v + u * v_step) *
                                           ComplexVector<Real>{Vector<Real>{} + cu[0], Vector<Real>{} + cu[1]};
        const ComplexVector<Real> z = factor * ComplexVector<Real>{re[u], im[u]};
        re[u] = z.re;
        im[u] = z.im;
        const Real* ahead = blocks[u * group_step] + at + next;
        __builtin_prefetch(ahead, 0, 2);
        __builtin_prefetch(ahead + lanes<Real>, 0, 2);
    }
    if constexpr (after) transform<Top, Order::descending>(re);
#pragma GCC unroll 16
    for (int u = 0; u < count; ++u) store(blocks[u * group_step] + at, re[u]);
    if constexpr (after) transform<Top, Order::descending>(im);
#pragma GCC unroll 16
    for (int u = 0; u < count; ++u) store(blocks[u * group_step] + at + lanes<Real>, im[u]);
}

template <int Top, bool before, bool after, class Real>
void diagonal_trip(const Tile<Real>& tile, const DiagonalView<Real>& d, const TileFactors<Real>& f,
                   std::ptrdiff_t next) {
    const std::uint64_t vector = 2 * lanes<Real>, q_mask = (std::uint64_t{1} << d.q) - 1;
    for (std::uint64_t g = 0; g < std::uint64_t{1} << tile.middle; ++g)
        for (std::uint64_t j = 0; j < std::uint64_t{1} << tile.low; ++j) {
            const std::uint64_t k = (g << tile.low) + j;
            diagonal_blocks<Top, before, after>(tile.group + g, std::uint64_t{1} << tile.middle, j * tile.stride,
                                                d.p + k * vector, f.v + (k & q_mask) * vector, vector << d.q,
                                                f.c + 2 * (k >> d.q), std::uint64_t{2} << d.m, next);
        }
}

template <bool before, bool after, class Real>
void diagonal_trip(const Tile<Real>& tile, const DiagonalView<Real>& d, const TileFactors<Real>& f,
                   std::ptrdiff_t next) {
    switch (d.top) {
        case 0: return diagonal_trip<0, before, after>(tile, d, f, next);
        case 1: return diagonal_trip<1, before, after>(tile, d, f, next);
        case 2: return diagonal_trip<2, before, after>(tile, d, f, next);
        case 3: return diagonal_trip<3, before, after>(tile, d, f, next);
        default: return diagonal_trip<4, before, after>(tile, d, f, next);
    }
}

template <bool with_lanes, class Real>
void pass_tile(const Pass<Real>& pass, std::uint64_t t, std::ptrdiff_t next) {
    const Tile<Real> tile(pass.blocks, t, pass.diagonal.top);
    const TileFactors<Real> factors(pass.diagonal, pass.first_outer + t);
    if (pass.before) transform_low<Order::ascending, with_lanes>(tile);
    if (pass.before && pass.after)
        diagonal_trip<true, true>(tile, pass.diagonal, factors, next);
    else if (pass.before)
        diagonal_trip<true, false>(tile, pass.diagonal, factors, next);
    else if (pass.after)
        diagonal_trip<false, true>(tile, pass.diagonal, factors, next);
    else
        diagonal_trip<false, false>(tile, pass.diagonal, factors, next);
    if (pass.after) transform_low<Order::descending, with_lanes>(tile);
}

}  // namespace

template <class Real>
void pass(const Pass<Real>& pass, Range tiles) {
#pragma omp parallel for schedule(static)
    for (std::uint64_t t = tiles.first; t < tiles.last; ++t) {
        const std::ptrdiff_t next = t + 1 < tiles.last ? pass.blocks.block(t + 1, 0) - pass.blocks.block(t, 0) : 0;
        if (pass.lanes == trotter::Lanes::transformed)
            pass_tile<true>(pass, t, next);
        else
            pass_tile<false>(pass, t, next);
    }
}

template void pass<double>(const Pass<double>&, Range);
template void pass<float>(const Pass<float>&, Range);

}  // namespace strata::trotter::STRATA_ISA
