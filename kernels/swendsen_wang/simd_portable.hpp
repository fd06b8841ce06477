// SPDX-License-Identifier: BSD-3-Clause
// Vector operations of simd.hpp in plain C++ on vector types, with a few intrinsics where compilers do not find the
// instruction. They are used with SSE2, AVX2 and on all other processors, and are the reference for every other
// variant.
#pragma once

#include <cstdint>
#include <cstring>

#if defined(__AVX2__)
#include <immintrin.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace strata::swendsen_wang::STRATA_ISA {

#if defined(__AVX2__)
constexpr int vector_bytes = 32;
#else
constexpr int vector_bytes = 16;
#endif
constexpr int lanes = vector_bytes / 8;
using Words = std::uint64_t __attribute__((vector_size(vector_bytes)));
using HalfWords = std::uint32_t __attribute__((vector_size(vector_bytes)));
using LabelRow = std::uint8_t __attribute__((vector_size(vector_bytes)));
using RowMask = LabelRow;  // 0x00 where a label may be taken, 0xFF elsewhere

/// Product of the low halves of each lane.
inline Words multiply_low(Words a, Words b) {
#if defined(__AVX2__)
    return reinterpret_cast<Words>(_mm256_mul_epu32(reinterpret_cast<__m256i>(a), reinterpret_cast<__m256i>(b)));
#elif defined(__SSE2__)
    return reinterpret_cast<Words>(_mm_mul_epu32(reinterpret_cast<__m128i>(a), reinterpret_cast<__m128i>(b)));
#else
    return (a & 0xFFFFFFFFu) * (b & 0xFFFFFFFFu);
#endif
}
inline Words xor3(Words a, Words b, Words c) { return a ^ b ^ c; }
/// Low halves of `even` and `odd`, as the low and high half of each lane.
inline Words join_halves(Words even, Words odd) { return (even & 0xFFFFFFFFu) | odd << 32; }
inline bool any(Words w) {
    std::uint64_t all = 0;
    for (int i = 0; i < lanes; ++i) all |= w[i];
    return all != 0;
}
/// Number of set bits of a word, without the table that compilers use on plain x86-64.
inline int count_bits(std::uint64_t w) {
#if defined(__POPCNT__) || !defined(__x86_64__)
    return __builtin_popcountll(w);
#else
    w -= w >> 1 & 0x5555555555555555u;
    w = (w & 0x3333333333333333u) + (w >> 2 & 0x3333333333333333u);
    return static_cast<int>(((w + (w >> 4)) & 0x0F0F0F0F0F0F0F0Fu) * 0x0101010101010101u >> 56);
#endif
}
inline Words popcount(Words w) {
    w -= w >> 1 & 0x5555555555555555u;
    w = (w & 0x3333333333333333u) + (w >> 2 & 0x3333333333333333u);
    w = (w + (w >> 4)) & 0x0F0F0F0F0F0F0F0Fu;
    w += w >> 8;
    w += w >> 16;
    return (w + (w >> 32)) & 0x7F;
}
// One binary digit of the comparison of random words with a probability: still_equal() keeps the undecided bits whose
// digits agree, or_decided_below() accepts those whose random digit is smaller.
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
/// bytes_where_clear() of all values of a byte.
struct SpreadTable {
    std::uint64_t bytes[256];
    constexpr SpreadTable() : bytes() {
        for (unsigned i = 0; i < 256; ++i) bytes[i] = bytes_where_clear(i);
    }
};
inline constexpr SpreadTable spread;

// Vectors are assembled in registers, because a vector load that follows narrower stores would wait for them.

/// Masks of the 8 rows of sites of as many tiles as share a LabelRow (2D).
inline void row_masks_2d(const std::uint64_t* tile_words, RowMask* masks) {
    for (int k = 0; k < 8; ++k) {
        Words row;
        for (int t = 0; t < lanes; ++t) row[t] = spread.bytes[tile_words[t] >> (8 * k) & 0xFF];
        masks[k] = reinterpret_cast<RowMask>(row);
    }
}
/// Masks of the 16 rows of sites (3D).
inline void row_masks_3d(const std::uint64_t* tile_words, RowMask* masks) {
    for (int k = 0; k < 16; ++k) {
        Words row;
        for (int t = 0; t < lanes; ++t)
            row[t] = spread.bytes[(tile_words[2 * t] >> (4 * k) & 0xF) | (tile_words[2 * t + 1] >> (4 * k) & 0xF) << 4];
        masks[k] = reinterpret_cast<RowMask>(row);
    }
}
/// Conversion of rows of the tiles that share a LabelRow to whole tiles (2D).
inline void rows_to_tiles_2d(const LabelRow* rows, std::uint8_t* tiles) {
    using TwoRows = std::uint64_t __attribute__((vector_size(16)));
    for (int k = 0; k < 8; k += 2) {
        const Words a = reinterpret_cast<Words>(rows[k]), b = reinterpret_cast<Words>(rows[k + 1]);
        for (int t = 0; t < lanes; ++t) {
            const TwoRows both = {a[t], b[t]};
            std::memcpy(tiles + 64 * t + 8 * k, &both, sizeof both);
        }
    }
}
/// Conversion of rows of the tiles that share a LabelRow to whole tiles (3D).
inline void rows_to_tiles_3d(const LabelRow* rows, std::uint8_t* tiles) {
    using FourRows = std::uint32_t __attribute__((vector_size(16)));
    for (int k = 0; k < 16; k += 4) {
        HalfWords r[4];
        for (int i = 0; i < 4; ++i) r[i] = reinterpret_cast<HalfWords>(rows[k + i]);
        for (int t = 0; t < 2 * lanes; ++t) {
            const FourRows four = {r[0][t], r[1][t], r[2][t], r[3][t]};
            std::memcpy(tiles + 64 * t + 4 * k, &four, sizeof four);
        }
    }
}

constexpr std::uint64_t ones = 0x0101010101010101u;  ///< one in every byte

/// One byte per bit of `bits8`: 1 where it is set.
inline std::uint64_t spread_ones(std::uint64_t bits8) { return ~spread.bytes[bits8] & ones; }

/// Bit i of the result: a[i] == b[i], for 64 bytes.
inline std::uint64_t equal_bytes(const std::uint8_t* a, const std::uint8_t* b) {
    std::uint64_t bits = 0;
#if defined(__AVX2__)
    for (int i = 0; i < 64; i += 32) {
        const __m256i x = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(a + i));
        const __m256i y = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(b + i));
        bits |= std::uint64_t{static_cast<std::uint32_t>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(x, y)))} << i;
    }
#elif defined(__SSE2__)
    for (int i = 0; i < 64; i += 16) {
        const __m128i x = _mm_loadu_si128(reinterpret_cast<const __m128i*>(a + i));
        const __m128i y = _mm_loadu_si128(reinterpret_cast<const __m128i*>(b + i));
        bits |= std::uint64_t{static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(x, y)))} << i;
    }
#else
    for (int i = 0; i < 64; ++i) bits |= std::uint64_t{a[i] == b[i]} << i;
#endif
    return bits;
}

/// table[i] = first + number of bits of `mask` below i, for i < 64: prefix sums of bytes by multiplication.
inline void rank_table(std::uint64_t mask, std::uint64_t first, std::uint8_t* table) {
    std::uint64_t before = first * ones;
    for (int i = 0; i < 64; i += 8) {
        const std::uint64_t bits = spread_ones(mask >> i & 0xFF), inclusive = bits * ones;
        const std::uint64_t ranks = before + inclusive - bits;
        std::memcpy(table + i, &ranks, 8);
        before += (inclusive >> 56) * ones;
    }
}

/// out[i] = table[index[i]] for 64 indices below 128.
inline void look_up_bytes(const std::uint8_t* table, const std::uint8_t* index, std::uint8_t* out) {
#if defined(__AVX2__)
    for (int i = 0; i < 64; i += 32) {
        const __m256i all = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(index + i));
        __m256i found = _mm256_setzero_si256();
        for (int part = 0; part < 8; ++part) {  // 16 entries each; others get the top bit, which shuffles to zero
            const __m256i entries =
                _mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(table) + part));
            const __m256i own = _mm256_adds_epu8(_mm256_xor_si256(all, _mm256_set1_epi8(static_cast<char>(16 * part))),
                                                 _mm256_set1_epi8(0x70));
            found = _mm256_or_si256(found, _mm256_shuffle_epi8(entries, own));
        }
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + i), found);
    }
#else
    for (int i = 0; i < 64; ++i) out[i] = table[index[i]];
#endif
}

/// Replaces the labels of a tile (minimal site, plus 64 in interior components) by component indices without gaps:
/// boundary components first, then interior ones, each in the order of labels. Sets the minimal sites of both kinds.
inline void labels_to_components(const std::uint8_t* label, std::uint8_t* component, std::uint64_t& boundary,
                                 std::uint64_t& interior) {
    boundary = equal_bytes(label, byte_iota.bytes);
    interior = equal_bytes(label, byte_iota.bytes + 64);
    std::uint8_t table[128];
    rank_table(boundary, 0, table);
    rank_table(interior, static_cast<std::uint64_t>(count_bits(boundary)), table + 64);
    look_up_bytes(table, label, component);
}

// --- cluster spins, boundary bonds, sizes -------------------------------------------------------------------------

/// Bit i of the result: the lowest bit of bytes[i], for i < count <= 64. Reads up to 7 bytes more.
inline std::uint64_t pack_bytes(const std::uint8_t* bytes, int count) {
    std::uint64_t bits = 0;
    for (int i = 0; i < count; i += 8) {
        std::uint64_t eight;
        std::memcpy(&eight, bytes + i, 8);
        bits |= ((eight & 0x0101010101010101u) * 0x0102040810204080u >> 56) << i;  // gathers the bits of eight bytes
    }
    return count == 64 ? bits : bits & ((std::uint64_t{1} << count) - 1);
}

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

/// Bit i of the result: bit component[i] of `values`, for the 64 sites of a tile.
inline std::uint64_t look_up_bits(const std::uint8_t* component, std::uint64_t values) {
#if defined(__AVX2__)
    const __m256i bytes = _mm256_set1_epi64x(static_cast<long long>(values));
    const __m256i powers = _mm256_set1_epi64x(static_cast<long long>(0x8040201008040201u));
    std::uint64_t bits = 0;
    for (int i = 0; i < 64; i += 32) {
        const __m256i c = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(component + i));
        const __m256i byte = _mm256_shuffle_epi8(bytes, _mm256_and_si256(_mm256_srli_epi16(c, 3), _mm256_set1_epi8(7)));
        const __m256i power = _mm256_shuffle_epi8(powers, _mm256_and_si256(c, _mm256_set1_epi8(7)));
        const __m256i hit = _mm256_cmpeq_epi8(_mm256_and_si256(byte, power), power);
        bits |= std::uint64_t{static_cast<std::uint32_t>(_mm256_movemask_epi8(hit))} << i;
    }
    return bits;
#else
    std::uint8_t table[64], found[64];
    for (int i = 0; i < 64; i += 8) {
        const std::uint64_t ranks = spread_ones(values >> i & 0xFF);
        std::memcpy(table + i, &ranks, 8);
    }
    for (int i = 0; i < 64; ++i) found[i] = table[component[i]];
    return pack_bytes(found, 64);
#endif
}
/// bytes[i] = bit i of bits, for i < count <= 64. May write up to 7 bytes more.
inline void unpack_bits(std::uint64_t bits, int count, std::uint8_t* bytes) {
    for (int i = 0; i < count; i += 8) {
        const std::uint64_t eight = spread_ones(bits >> i & 0xFF);
        std::memcpy(bytes + i, &eight, 8);
    }
}
/// out[i] = first + i for i < count <= 64. May write up to 7 entries more.
inline void write_ramp(std::uint32_t* out, std::uint32_t first, int count) {
    for (int i = 0; i < count; i += 8)
        for (int j = 0; j < 8; ++j) out[i + j] = first + static_cast<std::uint32_t>(i + j);
}

/// Appends the pairs (first_id_a + component_a[i], first_id_b + component_b[i - shift]) for the set bits i of `bonds`
/// (at most 16) to a[] and b[]; returns their number. May write up to 16 entries.
inline int append_pairs(std::uint64_t bonds, std::uint64_t shift, const std::uint8_t* component_a,
                        std::uint32_t first_id_a, const std::uint8_t* component_b, std::uint32_t first_id_b,
                        std::uint32_t* a, std::uint32_t* b) {
    int count = 0;
    for (; bonds != 0; bonds &= bonds - 1, ++count) {
        const auto site = static_cast<std::uint64_t>(__builtin_ctzll(bonds));
        a[count] = first_id_a + component_a[site];
        b[count] = first_id_b + component_b[site - shift];
    }
    return count;
}

/// Copies the bytes of the sites in `sites` to out[], without gaps; returns their number.
inline int compress_bytes(const std::uint8_t* bytes, std::uint64_t sites, std::uint8_t* out) {
    int count = 0;
    for (; sites != 0; sites &= sites - 1) out[count++] = bytes[__builtin_ctzll(sites)];
    return count;
}
/// Number of the 64 bytes that equal `value`.
inline int count_equal_bytes(const std::uint8_t* bytes, std::uint8_t value) {
#if defined(__AVX2__)
    const __m256i values = _mm256_set1_epi8(static_cast<char>(value));
    int count = 0;
    for (int i = 0; i < 64; i += 32) {
        const __m256i v = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(bytes + i));
        count += _mm_popcnt_u32(static_cast<unsigned>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(v, values))));
    }
    return count;
#else
    std::uint8_t count = 0;  // 8 bits, so that the compiler counts in vectors of bytes
    for (int i = 0; i < 64; ++i) count = static_cast<std::uint8_t>(count + (bytes[i] == value));
    return count;
#endif
}

}  // namespace strata::swendsen_wang::STRATA_ISA
