// SPDX-License-Identifier: BSD-3-Clause
// Products with sums of S^z, S+ and S-, grouped by the spins F that they flip, in the basis of z:
//
//     to(s) += a sum_F D_F(s) from(s ^ F),     D_F(s) = sum_p c_p [s & F = V_p] (-1)^|s & P_p|
//
// On a tile of 2^t amplitudes D_F depends on few bits of the index: those of F, those of the parities P, and the lowest
// ones, which lie within a block of the state's memory. The values that these bits number, the entries, are computed
// for every tile: first the sums of the c_p of each entry, with the signs of the bits above the tile, then for every
// bit of a parity a + b and a - b of the two halves.
//
// Operations per amplitude and group: 8 and what the entries take, 2 for every bit of a parity where all bits of a tile
// are in parities. Bytes: 16 read (8 in single precision) where F is beyond the caches; `to` once for all groups.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/trotter/flip_sums.hpp"
#include "strata/backend.hpp"

namespace strata::trotter {

/// A product that counts in the tiles whose bits above those of a tile agree with `value` on F.
struct EntryTerm {
    std::uint64_t value, parity;  ///< above the bits of a tile
    double re, im;                ///< c_p
};

/// Products that flip the same spins.
struct EntryGroup {
    std::uint64_t flip;                 ///< F
    std::uint64_t above;                ///< bits of F above those of a tile
    std::uint32_t first_entry;          ///< index of its first entry among those of all groups
    std::uint32_t first_block;          ///< index of its first block number in entry_blocks
    std::int32_t entry_bits;            ///< log2 of the number of entries
    BitSum of_bit[max_flip_tile_bits];  ///< [bit of an entry's number] `kept` of F, `both` of parities
};

/// Tables as kernels read them.
struct FlipProductsView {
    const EntryGroup* groups;
    const std::uint32_t* first_term;  ///< [entry] of its terms, and behind the last entry their number
    const EntryTerm* terms;
    const std::uint16_t* entry_blocks;  ///< [block of a tile] the block of entries that its amplitudes have
    int tile_bits, lane_bits;           ///< log2 of the amplitudes of a tile, and of a block
};

struct ComplexNumber {
    double re, im;
};

/// Whether an odd number of bits is set.
STRATA_HOST_DEVICE inline bool is_odd(std::uint64_t bits) {
#if defined(__CUDA_ARCH__)
    return (__popcll(bits) & 1) != 0;
#else
    return __builtin_parityll(bits) != 0;
#endif
}

/// Sum of the terms of an entry, in their order, in the tile that begins with state s.
STRATA_HOST_DEVICE inline ComplexNumber entry_sum(const FlipProductsView& v, const EntryGroup& group,
                                                  std::uint32_t entry, std::uint64_t s) {
    ComplexNumber sum = {0, 0};
    const std::uint32_t* first = v.first_term + group.first_entry + entry;
    for (const EntryTerm* t = v.terms + first[0]; t != v.terms + first[1]; ++t) {
        if ((s & group.above) != t->value) continue;
        const bool odd = is_odd(s & t->parity);
        sum.re += odd ? -t->re : t->re;
        sum.im += odd ? -t->im : t->im;
    }
    return sum;
}

/// Tables in host memory.
struct FlipProducts {
    std::vector<EntryGroup> groups;  ///< ascending flips
    std::vector<std::uint32_t> first_term;
    std::vector<EntryTerm> terms;
    std::vector<std::uint16_t> entry_blocks;
    int tile_bits = 0, lane_bits = 0;

    bool empty() const { return groups.empty(); }
    FlipProductsView view() const {
        return {groups.data(), first_term.data(), terms.data(), entry_blocks.data(), tile_bits, lane_bits};
    }
    std::uint64_t bytes() const {
        return groups.size() * sizeof(EntryGroup) + first_term.size() * sizeof(std::uint32_t) +
               terms.size() * sizeof(EntryTerm) + entry_blocks.size() * sizeof(std::uint16_t);
    }
};

}  // namespace strata::trotter
