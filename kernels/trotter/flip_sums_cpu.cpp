// SPDX-License-Identifier: BSD-3-Clause
// Sums over a tile in every instruction set, without fused operations: with own and partner exchanged the results are
// the complex conjugates, to the bit.
#include "kernels/trotter/flip_sums.hpp"

#include "kernels/lanes.hpp"
#include "kernels/trotter/pass_kernels.hpp"

namespace strata::trotter::STRATA_ISA {

using namespace strata::STRATA_ISA;
namespace {

using Vector = strata::STRATA_ISA::Lanes<double>;
constexpr int lane_bits = 3;
constexpr std::uint64_t width = std::uint64_t{1} << lane_bits;

template <class Real>
void split(const Real* from, std::uint64_t count, double* re, double* im) {
    for (std::uint64_t x = 0; x < count; ++x) {
        re[x] = static_cast<double>(from[2 * x]);
        im[x] = static_cast<double>(from[2 * x + 1]);
    }
}

/// Lane l of v is lane l ^ Bits of the result.
template <std::size_t Bits>
Vector flip_lanes(Vector v) {
    if constexpr ((Bits & 1) != 0) v = flip<double, 64, 1>(v);
    if constexpr ((Bits & 2) != 0) v = flip<double, 64, 2>(v);
    if constexpr ((Bits & 4) != 0) v = flip<double, 64, 4>(v);
    return v;
}

/// own <- conj(partner(x ^ flips)) own; Low: the bits of `flips` within a vector.
template <std::size_t Low>
void multiply(std::uint64_t count, std::uint64_t flips, const double* pre, const double* pim, double* re, double* im) {
    const std::uint64_t high = flips & ~(width - 1);
    for (std::uint64_t x = 0; x < count; x += width) {
        const Vector r = load(re + x), i = load(im + x);
        const Vector pr = flip_lanes<Low>(load(pre + (x ^ high))), pi = flip_lanes<Low>(load(pim + (x ^ high)));
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
    alignas(64) double pre[std::size_t{1} << max_flip_tile_bits], pim[std::size_t{1} << max_flip_tile_bits];
    split(tile.partner, count, pre, pim);
    multiplies[tile.flip % width](count, tile.flip, pre, pim, re, im);
    sum_bits(tile.bits, tile.of_bit, re);
    sum_bits(tile.bits, tile.of_bit, im);
}

}  // namespace

template <class Real>
void fill_flip_sums(PassKernels<Real>& table) {
    table.flip_sums = flip_sums<Real>;
}
template void fill_flip_sums(PassKernels<double>&);
template void fill_flip_sums(PassKernels<float>&);

}  // namespace strata::trotter::STRATA_ISA
