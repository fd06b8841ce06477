// SPDX-License-Identifier: BSD-3-Clause
// Sums for expectation values of products of S^z, S+ and S- that flip the same spins F, over a tile of 2^t amplitudes:
//
//     z(x) = conj(partner(x ^ F)) own(x),  x = 0 ... 2^t - 1;  |own(x)|^2 if F = 0
//
// One bit of x after the other, from the highest one downwards, is summed over as BitSum says; the bits that remain,
// in their order, number the results. The lowest three bits, which lie within a vector, always remain: one of them that
// is not `kept` is `both`. Operations per amplitude: 6 for z, or 3 if F = 0, and 2 for every bit that is `both`; a bit
// that is summed halves the number of values of all lower bits. Bytes per amplitude: 32, or 16 if F = 0.
#pragma once

#include <cstdint>

namespace strata::trotter {

/// What is made of the halves a and b in which a bit is 0 and 1: a and b, a + b, a - b, or a + b and a - b.
enum class BitSum : std::uint8_t { kept, sum, difference, both };

/// Bits of the largest tile: own and partner, and what is made of them, fit in the first-level cache.
constexpr int max_flip_tile_bits = 9;

template <class Real>
struct FlipTile {
    const Real *own, *partner;       ///< pairs (re, im) of 2^bits amplitudes each
    std::uint64_t flip = 0;          ///< bits of F within the tile
    bool diagonal = false;           ///< whether F = 0, also beyond the tile
    int bits = 0;                    ///< t, at least 3
    const BitSum* of_bit = nullptr;  ///< [bit]
};

}  // namespace strata::trotter
