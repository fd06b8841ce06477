// SPDX-License-Identifier: BSD-3-Clause
// Sums over a tile in every instruction set, without fused operations: with own and partner exchanged the results are
// the complex conjugates, to the bit. The same sums over bits make the entries of products with H, from which every
// block of amplitudes takes the ones of its number.
#include "kernels/trotter/flip_products.hpp"

#include "kernels/lanes.hpp"
#include "kernels/trotter/pass_kernels.hpp"

namespace strata::trotter::STRATA_ISA {

using namespace strata::STRATA_ISA;
namespace {

using Vector = strata::STRATA_ISA::Lanes<double>;
constexpr int lane_bits = 3;
constexpr std::uint64_t max_tile = std::uint64_t{1} << max_flip_tile_bits;
constexpr std::uint64_t width = std::uint64_t{1} << lane_bits;

template <class Real>
void split(const Real* from, std::uint64_t count, double* re, double* im) {
    for (std::uint64_t x = 0; x < count; ++x) {
        re[x] = static_cast<double>(from[2 * x]);
        im[x] = static_cast<double>(from[2 * x + 1]);
    }
}

/// Lane l of v is lane l ^ Bits of the result.
template <class Real, std::size_t Bits>
strata::STRATA_ISA::Lanes<Real> flip_lanes(strata::STRATA_ISA::Lanes<Real> v) {
    if constexpr ((Bits & 1) != 0) v = flip<Real, 64, 1>(v);
    if constexpr ((Bits & 2) != 0) v = flip<Real, 64, 2>(v);
    if constexpr ((Bits & 4) != 0) v = flip<Real, 64, 4>(v);
    if constexpr ((Bits & 8) != 0) v = flip<Real, 64, 8>(v);
    return v;
}

/// own <- conj(partner(x ^ flips)) own; Low: the bits of `flips` within a vector.
template <std::size_t Low>
void multiply(std::uint64_t count, std::uint64_t flips, const double* pre, const double* pim, double* re, double* im) {
    const std::uint64_t high = flips & ~(width - 1);
    for (std::uint64_t x = 0; x < count; x += width) {
        const Vector r = load(re + x), i = load(im + x);
        const Vector pr = flip_lanes<double, Low>(load(pre + (x ^ high))),
                     pi = flip_lanes<double, Low>(load(pim + (x ^ high)));
        store(re + x, pr * r + pi * i);
        store(im + x, pr * i - pi * r);
    }
}

using Multiply = void (*)(std::uint64_t, std::uint64_t, const double*, const double*, double*, double*);
constexpr Multiply multiplies[] = {multiply<0>, multiply<1>, multiply<2>, multiply<3>,
                                   multiply<4>, multiply<5>, multiply<6>, multiply<7>};

/// Both sums over bit Bit of the lanes.
template <std::size_t Bit>
void sum_lanes(std::uint64_t count, double* values) {
    for (std::uint64_t x = 0; x < count; x += width) {
        const Vector v = load(values + x);
        store(values + x, flip<double, 64, Bit>(v) + signs<double, 64, Bit>() * v);
    }
}

/// Sums over the bits of the index of 2^bits values, in place.
void sum_bits(int bits, const BitSum* of_bit, double* values) {
    std::uint64_t outer = 1;  // groups of values that differ in the bits that remain
    for (int bit = bits - 1; bit >= lane_bits; --bit) {
        const std::uint64_t half = std::uint64_t{1} << bit;
        const BitSum what = of_bit[bit];
        const bool halved = what == BitSum::sum || what == BitSum::difference;
        for (std::uint64_t o = 0; o < outer && what != BitSum::kept; ++o) {
            const double* from = values + o * 2 * half;
            double* to = values + o * (halved ? half : 2 * half);
            for (std::uint64_t x = 0; x < half; x += width) {
                const Vector a = load(from + x), b = load(from + half + x);
                store(to + x, what == BitSum::difference ? a - b : a + b);
                if (what == BitSum::both) store(to + half + x, a - b);
            }
        }
        if (!halved) outer *= 2;
    }
    const std::uint64_t count = outer * width;
    if (of_bit[2] == BitSum::both) sum_lanes<4>(count, values);
    if (of_bit[1] == BitSum::both) sum_lanes<2>(count, values);
    if (of_bit[0] == BitSum::both) sum_lanes<1>(count, values);
}

template <class Real>
void flip_sums(const FlipTile<Real>& tile, double* re, double* im) {
    const std::uint64_t count = std::uint64_t{1} << tile.bits;
    split(tile.own, count, re, im);
    if (tile.diagonal) {
        for (std::uint64_t x = 0; x < count; x += width) {
            const Vector r = load(re + x), i = load(im + x);
            store(re + x, r * r + i * i);
        }
        return sum_bits(tile.bits, tile.of_bit, re);
    }
    alignas(64) double pre[max_tile], pim[max_tile];
    split(tile.partner, count, pre, pim);
    multiplies[tile.flip % width](count, tile.flip, pre, pim, re, im);
    sum_bits(tile.bits, tile.of_bit, re);
    sum_bits(tile.bits, tile.of_bit, im);
}

/// Entries of a group in the tile that begins with state s, times a, in blocks of real and imaginary parts.
template <class Real>
void make_entries(const FlipProductsView& v, const EntryGroup& group, std::uint64_t s, double a, Real* blocks) {
    alignas(64) double re[max_tile], im[max_tile];
    const std::uint32_t count = std::uint32_t{1} << group.entry_bits;
    for (std::uint32_t e = 0; e < count; ++e) {
        const ComplexNumber sum = entry_sum(v, group, e, s);
        re[e] = sum.re;
        im[e] = sum.im;
    }
    sum_bits(group.entry_bits, group.of_bit, re);
    sum_bits(group.entry_bits, group.of_bit, im);
    constexpr std::uint32_t block = lanes<Real>;
    for (std::uint32_t b = 0; b < count; b += block)
        for (std::uint32_t l = 0; l < block; ++l) {
            blocks[2 * b + l] = static_cast<Real>(a * re[b + l]);
            blocks[2 * b + block + l] = static_cast<Real>(a * im[b + l]);
        }
}

/// to <- to + entries from on the blocks of a tile; `flips`: the bits of F that number these blocks, Low: those within
/// a block.
template <class Real, std::size_t Low>
void add_tile(std::uint64_t count, std::uint64_t flips, const Real* entries, const std::uint16_t* entry_blocks,
              const Real* from, Real* to) {
    constexpr std::size_t block = lanes<Real>;
    for (std::uint64_t b = 0; b < count; ++b) {
        const Real *d = entries + entry_blocks[b] * 2 * block, *f = from + (b ^ flips) * 2 * block;
        Real* t = to + b * 2 * block;
        const auto fr = flip_lanes<Real, Low>(load(f)), fi = flip_lanes<Real, Low>(load(f + block));
        const auto dr = load(d), di = load(d + block);
        store(t, fma(dr, fr, fma(-di, fi, load(t))));
        store(t + block, fma(dr, fi, fma(di, fr, load(t + block))));
    }
}

template <class Real, std::size_t... Low>
auto tile_sum(std::uint64_t low, std::index_sequence<Low...>) {
    constexpr decltype(&add_tile<Real, 0>) all[] = {add_tile<Real, Low>...};
    return all[low];
}

template <class Real>
void add_products(const StateLayout& layout, const FlipProductsView& v, Range groups, Range rows, double a,
                  const Real* from, Real* to) {
    const int tiles_bits = layout.row_bits - v.tile_bits, block_bits = v.tile_bits - v.lane_bits;
    const std::uint64_t tiles = std::uint64_t{1} << tiles_bits, blocks = std::uint64_t{1} << block_bits;
    const auto place = [&](std::uint64_t tile) {  // counted through the rows
        return layout.row_offset(tile >> tiles_bits) + layout.block_offset((tile & (tiles - 1)) << block_bits);
    };
#pragma omp parallel for schedule(static)
    for (std::uint64_t tile = 0; tile < rows.size() << tiles_bits; ++tile) {
        alignas(64) Real entries[2 * max_tile];
        for (std::uint64_t g = groups.first; g < groups.last; ++g) {
            const EntryGroup& group = v.groups[g];
            make_entries(v, group, (rows.first << layout.row_bits) + (tile << v.tile_bits), a, entries);
            const std::uint64_t other = tile ^ (group.flip >> v.tile_bits & ((rows.size() << tiles_bits) - 1));
            tile_sum<Real>(group.flip & ((std::uint64_t{1} << v.lane_bits) - 1),
                           std::make_index_sequence<lanes<Real>>())(blocks, group.flip >> v.lane_bits & (blocks - 1),
                                                                    entries, v.entry_blocks + group.first_block,
                                                                    from + place(other), to + place(tile));
        }
    }
}

}  // namespace

template <class Real>
void fill_flip_sums(PassKernels<Real>& table) {
    table.flip_sums = flip_sums<Real>;
    table.add_products = add_products<Real>;
}
template void fill_flip_sums(PassKernels<double>&);
template void fill_flip_sums(PassKernels<float>&);

}  // namespace strata::trotter::STRATA_ISA
