// SPDX-License-Identifier: BSD-3-Clause
// The vector operations of simd.hpp in plain C++ on vector types: what the compiler makes of them for the instruction
// set at hand. The reference for every other variant.
#pragma once

#include <cstdint>
#include <cstring>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace strata::swendsen_wang::STRATA_ISA {

constexpr int lanes = 4;
using Words = std::uint64_t __attribute__((vector_size(32)));
using HalfWords = std::uint32_t __attribute__((vector_size(32)));
using LabelRow = std::uint8_t __attribute__((vector_size(32)));
using RowMask = LabelRow;  // 0x00 where a label may be taken, 0xFF elsewhere

/// Product of the low halves of each lane.
inline Words multiply_low(Words a, Words b) {
#if defined(__AVX2__)
    return reinterpret_cast<Words>(_mm256_mul_epu32(reinterpret_cast<__m256i>(a), reinterpret_cast<__m256i>(b)));
#else
    return (a & 0xFFFFFFFFu) * (b & 0xFFFFFFFFu);
#endif
}
inline Words xor3(Words a, Words b, Words c) { return a ^ b ^ c; }
/// Low halves of `even` and `odd`, as the low and high half of each lane.
inline Words join_halves(Words even, Words odd) { return (even & 0xFFFFFFFFu) | odd << 32; }
inline bool any(Words w) { return (w[0] | w[1] | w[2] | w[3]) != 0; }
inline Words popcount(Words w) {
    for (int i = 0; i < lanes; ++i) w[i] = static_cast<std::uint64_t>(__builtin_popcountll(w[i]));
    return w;
}
// Lexical step of the lazy comparison: undecided & ~(word ^ digit), and undecided & ~word & digit.
inline Words still_equal(Words undecided, Words word, Words digit) { return undecided & ~(word ^ digit); }
inline Words or_decided_below(Words accepted, Words undecided, Words word, Words digit) {
    return accepted | (undecided & ~word & digit);
}

// --- labels -------------------------------------------------------------------------------------------------------

/// min(label, neighbour) where `mask` allows it.
inline LabelRow min_where(LabelRow label, RowMask mask, LabelRow neighbour) {
    const LabelRow other = neighbour | mask;
    return other < label ? other : label;
}
inline LabelRow add_where(LabelRow label, RowMask mask, LabelRow amount) { return label + (amount & ~mask); }
inline bool differ(LabelRow a, LabelRow b) {
    const Words d = reinterpret_cast<Words>(a ^ b);
    return any(d);
}

/// One byte per bit, least significant first: 0x00 where the bit is set, 0xFF where not.
constexpr std::uint64_t bytes_where_clear(std::uint64_t bits8) {
    std::uint64_t bytes = 0;
    for (int i = 0; i < 8; ++i) bytes |= (bits8 >> i & 1 ? 0 : std::uint64_t{0xFF}) << (8 * i);
    return bytes;
}
struct SpreadTable {
    std::uint64_t bytes[256];
    constexpr SpreadTable() : bytes() {
        for (unsigned i = 0; i < 256; ++i) bytes[i] = bytes_where_clear(i);
    }
};
inline constexpr SpreadTable spread;

/// Masks of the 8 rows of 4 tiles (2D).
inline void row_masks_2d(const std::uint64_t* tile_words, RowMask* masks) {
    for (int k = 0; k < 8; ++k)
        for (int t = 0; t < 4; ++t)
            std::memcpy(reinterpret_cast<char*>(masks + k) + 8 * t, &spread.bytes[tile_words[t] >> (8 * k) & 0xFF], 8);
}
/// Masks of the 16 rows of 8 tiles (3D).
inline void row_masks_3d(const std::uint64_t* tile_words, RowMask* masks) {
    for (int k = 0; k < 16; ++k)
        for (int t = 0; t < 8; ++t)
            std::memcpy(reinterpret_cast<char*>(masks + k) + 4 * t, &spread.bytes[tile_words[t] >> (4 * k) & 0xF], 4);
}
/// Rows of 4 tiles to whole tiles.
inline void rows_to_tiles_2d(const LabelRow* rows, std::uint8_t* tiles) {
    for (int k = 0; k < 8; ++k)
        for (int t = 0; t < 4; ++t)
            std::memcpy(tiles + 64 * t + 8 * k, reinterpret_cast<const char*>(rows + k) + 8 * t, 8);
}
/// Rows of 8 tiles to whole tiles.
inline void rows_to_tiles_3d(const LabelRow* rows, std::uint8_t* tiles) {
    for (int k = 0; k < 16; ++k)
        for (int t = 0; t < 8; ++t)
            std::memcpy(tiles + 64 * t + 4 * k, reinterpret_cast<const char*>(rows + k) + 4 * t, 4);
}

/// Bit i of the result: bytes[i] != 0, for i < count <= 64.
inline std::uint64_t pack_bytes(const std::uint8_t* bytes, int count) {
    std::uint64_t bits = 0;
    for (int i = 0; i < count; ++i) bits |= std::uint64_t{bytes[i] != 0} << i;
    return bits;
}

/// A tile's canonical labels (site, or 64 + site where the component is closed) become dense codes: open components
/// first, then closed ones, each by label. Sets the sites that are roots of open and of closed components.
inline void labels_to_codes(const std::uint8_t* label, std::uint8_t* code, std::uint64_t& open, std::uint64_t& closed) {
    open = closed = 0;
    for (unsigned i = 0; i < 64; ++i) {
        open |= std::uint64_t{label[i] == i} << i;
        closed |= std::uint64_t{label[i] == i + 64} << i;
    }
    std::uint8_t table[128];
    std::uint8_t next = 0;
    for (std::uint64_t roots = open; roots != 0; roots &= roots - 1) table[__builtin_ctzll(roots)] = next++;
    for (std::uint64_t roots = closed; roots != 0; roots &= roots - 1) table[64 + __builtin_ctzll(roots)] = next++;
    for (int i = 0; i < 64; ++i) code[i] = table[label[i]];
}

// --- flips --------------------------------------------------------------------------------------------------------

/// Bits of `bits` at the positions set in `mask`, packed to the low end.
inline std::uint64_t extract_bits(std::uint64_t bits, std::uint64_t mask) {
#if defined(__BMI2__)
    return _pext_u64(bits, mask);
#else
    std::uint64_t packed = 0;
    for (int i = 0; mask != 0; mask &= mask - 1, ++i) packed |= (bits >> __builtin_ctzll(mask) & 1) << i;
    return packed;
#endif
}

/// Bit i of the result: bit code[i] of `values`, for the 64 sites of a tile.
inline std::uint64_t look_up_bits(const std::uint8_t* code, std::uint64_t values) {
    std::uint64_t bits = 0;
    for (int i = 0; i < 64; ++i) bits |= (values >> code[i] & 1) << i;
    return bits;
}
/// bytes[i] = bit i of bits, for i < count <= 64.
inline void unpack_bits(std::uint64_t bits, int count, std::uint8_t* bytes) {
    for (int i = 0; i < count; ++i) bytes[i] = static_cast<std::uint8_t>(bits >> i & 1);
}
/// out[i] = first + i for i < count <= 64.
inline void write_ramp(std::uint32_t* out, std::uint32_t first, int count) {
    for (int i = 0; i < count; ++i) out[i] = first + static_cast<std::uint32_t>(i);
}

/// Appends the pairs (base_a + code_a[i], base_b + code_b[i - shift]) for the set bits i of `face` (at most 16) to a[]
/// and b[]; returns how many. May write up to 16 entries.
inline int append_pairs(std::uint64_t face, std::uint64_t shift, const std::uint8_t* code_a, std::uint32_t base_a,
                        const std::uint8_t* code_b, std::uint32_t base_b, std::uint32_t* a, std::uint32_t* b) {
    int count = 0;
    for (; face != 0; face &= face - 1, ++count) {
        const auto site = static_cast<std::uint64_t>(__builtin_ctzll(face));
        a[count] = base_a + code_a[site];
        b[count] = base_b + code_b[site - shift];
    }
    return count;
}

/// counts[c] = sites of a tile whose code is c, for all codes in use.
inline void count_codes(const std::uint8_t* codes, std::uint8_t* counts) {
    std::memset(counts, 0, 64);
    for (int i = 0; i < 64; ++i) ++counts[codes[i]];
}

}  // namespace strata::swendsen_wang::STRATA_ISA
