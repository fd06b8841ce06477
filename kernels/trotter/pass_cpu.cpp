// SPDX-License-Identifier: BSD-3-Clause
// A pass over the state in three stages for every tile, which stays in the second-level cache:
//
//     1   T of the low bits of the block index (and of the lanes), 128 blocks at a time, in the first-level cache
//     2   for every k: the 2^R blocks that differ in u are loaded into registers; T of u, D, T of u
//     3   as stage 1, in reverse order
//
// Bits between the two sets are transformed by loops of their own. Bits are transformed in ascending order before D and
// in descending order after it, so that rounding does not depend on their grouping into loops.
#include <algorithm>

#include "kernels/instruction_sets.hpp"
#include "kernels/trotter/butterflies.hpp"
#include "kernels/trotter/pass_kernels.hpp"

namespace strata::trotter::STRATA_ISA {
namespace {

constexpr int group_bits = StateLayout::group_bits;
/// Bits of u, bits between those of a group and u, and bits m. Where many ranks of a node have few rows each, groups
/// are small and many bits lie between them and u.
constexpr int max_top_bits = 4, max_middle_bits = 6, max_m_bits = 8;
static_assert(max_m_bits + 3 + max_top_bits == max_tile_block_bits);

/// T of `Bits` bits from bit `First` on for all blocks of a group of 2^bits blocks. adjacent: these are neighbours in a row,
/// so that the compiler knows their distances.
template <int Bits, int First, Order order, bool with_lanes, bool adjacent, class Real>
void transform_bits(Real* group, std::uint64_t group_stride, int bits) {
    const std::uint64_t stride = adjacent ? 2 * lanes<Real> : group_stride;
    constexpr std::uint64_t step = std::uint64_t{1} << First;
    const std::uint64_t count = std::uint64_t{1} << bits;
    for (std::uint64_t high = 0; high < count; high += step << Bits)
        for (std::uint64_t low = 0; low < step; ++low) {
            constexpr unsigned mask = with_lanes ? all_lane_bits : 0;
            Real* p = group + (high + low) * stride;
            const auto place = [=](int i) { return p + static_cast<std::uint64_t>(i) * (stride << First); };
            transform_vectors<Bits, order, mask, Real>(place);
            transform_vectors<Bits, order, mask, Real>([=](int i) { return place(i) + lanes<Real>; });
        }
}

template <int First, Order order, bool with_lanes, bool adjacent, class Real>
void transform_bits(int count, Real* group, std::uint64_t stride, int bits) {
    switch (count) {
        case 0: return with_lanes ? transform_bits<0, First, order, with_lanes, adjacent>(group, stride, bits) : void();
        case 1: return transform_bits<1, First, order, with_lanes, adjacent>(group, stride, bits);
        case 2: return transform_bits<2, First, order, with_lanes, adjacent>(group, stride, bits);
        case 3: return transform_bits<3, First, order, with_lanes, adjacent>(group, stride, bits);
        default: return transform_bits<4, First, order, with_lanes, adjacent>(group, stride, bits);
    }
}

/// Transform of a group of 2^bits blocks, at most 128, in one or two loops.
template <Order order, bool with_lanes, bool adjacent, class Real>
void transform_group(Real* group, std::uint64_t stride, int bits) {
    const int first = bits < 4 ? bits : 4;
    if constexpr (order == Order::ascending) {
        transform_bits<0, order, with_lanes, adjacent>(first, group, stride, bits);
        transform_bits<4, order, false, adjacent>(bits - first, group, stride, bits);
    } else {
        transform_bits<4, order, false, adjacent>(bits - first, group, stride, bits);
        transform_bits<0, order, with_lanes, adjacent>(first, group, stride, bits);
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

/// Transform of `Bits` of the bits between those of a group and u, from bit `first` on: of vectors at the same offset
/// in 2^Bits groups.
template <int Bits, Order order, class Real>
void transform_middle(const Tile<Real>& tile, int first) {
    const std::uint64_t step = std::uint64_t{1} << first, groups = std::uint64_t{1} << (tile.middle + tile.top);
    for (std::uint64_t high = 0; high < groups; high += step << Bits)
        for (std::uint64_t g = high; g < high + step; ++g)
            for (std::uint64_t j = 0; j < std::uint64_t{1} << tile.low; ++j)
                for (int part = 0; part < 2; ++part) {
                    const std::uint64_t at = j * tile.stride + part * lanes<Real>;
                    transform_vectors<Bits, order, 0, Real>([&](int i) { return tile.group[g + i * step] + at; });
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

/// Transform of all of these bits, at most four at a time.
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

/// Stages 1 and 3: transform of all bits but u.
template <Order order, bool with_lanes, class Real>
void transform_low(const Tile<Real>& tile) {
    if constexpr (order == Order::descending) transform_middle<order>(tile);
    for (std::uint64_t g = 0; g < std::uint64_t{1} << (tile.middle + tile.top); ++g)
        if (tile.stride == 2 * lanes<Real>)
            transform_group<order, with_lanes, true>(tile.group[g], tile.stride, tile.low);
        else
            transform_group<order, with_lanes, false>(tile.group[g], tile.stride, tile.low);
    if constexpr (order == Order::ascending) transform_middle<order>(tile);
}

/// Factors V and C of a diagonal for one tile: the factors of the view times those of the couplings to the outer bits.
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
    void make_v(const DiagonalView<Real>& d, const double* flip) {
        Number on_q[8];
        products(flip + 2 * d.lanes, d.q, {1, 0}, on_q);
        const auto lane = lane_products<Real>(flip, d.lanes);
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

/// Stage 2 for one k: the blocks at blocks[u * group_step] + at. Prefetches the blocks `next` reals further, in the
/// next tile.
template <int Top, bool before, bool after, class Real>
[[gnu::always_inline]] inline void diagonal_blocks(Real* const* blocks, std::uint64_t group_step, std::uint64_t at,
                                                   const Real* p, const Real* v, std::uint64_t v_step, const Real* c,
                                                   std::uint64_t c_step, std::ptrdiff_t next) {
    constexpr int count = 1 << Top;
    using Complex = ComplexVector<Real, register_bytes>;
    for_parts<Real>([&](int lane) __attribute__((always_inline)) {
        const auto block = [&](int u) { return blocks[u * group_step] + at + lane; };
        Part<Real> re[count], im[count];
#pragma GCC unroll 16
        for (int u = 0; u < count; ++u) re[u] = load_part(block(u));
        if constexpr (before) transform<Top, Order::ascending>(re);
#pragma GCC unroll 16
        for (int u = 0; u < count; ++u) im[u] = load_part(block(u) + lanes<Real>);
        if constexpr (before) transform<Top, Order::ascending>(im);
        const auto low = Complex::load(p + lane);
#pragma GCC unroll 16
        for (int u = 0; u < count; ++u) {
            const Real* cu = c + u * c_step;
            const Complex factor =
                low * Complex::load(v + u * v_step + lane) * Complex{Part<Real>{} + cu[0], Part<Real>{} + cu[1]};
            const Complex z = factor * Complex{re[u], im[u]};
            re[u] = z.re;
            im[u] = z.im;
            if (lane == 0) {
                __builtin_prefetch(block(u) + next, 0, 2);
                __builtin_prefetch(block(u) + lanes<Real> + next, 0, 2);
            }
        }
        if constexpr (after) transform<Top, Order::descending>(re);
#pragma GCC unroll 16
        for (int u = 0; u < count; ++u) store_part(block(u), re[u]);
        if constexpr (after) transform<Top, Order::descending>(im);
#pragma GCC unroll 16
        for (int u = 0; u < count; ++u) store_part(block(u) + lanes<Real>, im[u]);
    });
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

}  // namespace

// Parts of the table that other files fill.
template <class Real>
void fill_light_cone(PassKernels<Real>&);
template <class Real>
void fill_row_sums(PassKernels<Real>&);
template <class Real>
void fill_energies(PassKernels<Real>&);
template <class Real>
void fill_density(PassKernels<Real>&);
template <class Real>
void fill_flip_sums(PassKernels<Real>&);
template <class Real>
void fill_random_state(PassKernels<Real>&);

}  // namespace strata::trotter::STRATA_ISA

namespace strata::trotter {

template <class Real>
PassKernels<Real> pass_kernels(instruction_set::STRATA_ISA set) {
    using namespace STRATA_ISA;
    PassKernels<Real> table = {};
    table.name = set.name;
    table.pass = pass;
    fill_light_cone(table);
    fill_row_sums(table);
    fill_energies(table);
    fill_density(table);
    fill_flip_sums(table);
    fill_random_state(table);
    return table;
}
template PassKernels<double> pass_kernels<double>(instruction_set::STRATA_ISA);
template PassKernels<float> pass_kernels<float>(instruction_set::STRATA_ISA);

}  // namespace strata::trotter
