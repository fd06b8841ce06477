// SPDX-License-Identifier: BSD-3-Clause
// Layout of the amplitudes of N spins 1/2 in host memory. Bit j of a basis state is spin j, 0 for up and 1 for down.
//
//     bit   N-1 ...... a | a-1 ........ l | l-1 ... 0        l: lane bits, 3 for doubles, 4 for floats
//           row          | block of a row | lane
//
// A block is 2^l real parts followed by their imaginary parts: only transforms of the lowest l spins shuffle vectors.
// One unused block follows every 128 blocks of a row, and rows are an odd number of blocks apart, because rows a power
// of two apart would be mapped to the same few sets of the caches.
#pragma once

#include <cstdint>

#include "strata/partition.hpp"

namespace strata::trotter {

struct StateLayout {
    int spins = 0;      ///< bits of a basis state, N >= row_bits
    int row_bits = 0;   ///< a > lane_bits
    int lane_bits = 3;  ///< log2 of the amplitudes of a block

    static constexpr int group_bits = 7;  ///< log2 of the blocks, or rows, between two gaps

    constexpr std::uint64_t rows() const { return std::uint64_t{1} << (spins - row_bits); }
    constexpr std::uint64_t row_amplitudes() const { return std::uint64_t{1} << row_bits; }
    constexpr std::uint64_t row_blocks() const { return std::uint64_t{1} << (row_bits - lane_bits); }
    constexpr std::uint64_t block_reals() const { return std::uint64_t{2} << lane_bits; }
    /// Reals from the begin of a row to one of its blocks.
    constexpr std::uint64_t block_offset(std::uint64_t block) const {
        return (block + (block >> group_bits)) * block_reals();
    }
    /// Blocks from one row to the next: odd, so that 64 rows lie in different sets of a cache of 64 sets of 128 bytes.
    constexpr std::uint64_t row_stride() const { return (block_offset(row_blocks()) / block_reals()) | 1; }
    /// Unused reals after every 128 rows.
    constexpr std::uint64_t row_gap() const { return 2 * block_reals(); }
    /// Reals from the first row to row `row`, both counted within the memory of one rank.
    constexpr std::uint64_t row_offset(std::uint64_t row) const {
        return row * row_stride() * block_reals() + (row >> group_bits) * row_gap();
    }
    /// Reals of `count` rows with their gaps.
    constexpr std::uint64_t reals(std::uint64_t count) const { return row_offset(count); }
};

}  // namespace strata::trotter
