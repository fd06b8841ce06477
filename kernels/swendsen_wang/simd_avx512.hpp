// SPDX-License-Identifier: BSD-3-Clause
// Vector operations of simd.hpp with AVX-512 (VBMI, VBMI2, VPOPCNTDQ: Ice Lake, Zen 4 and later).
#pragma once

#include <immintrin.h>

#include <cstdint>

namespace strata::swendsen_wang::STRATA_ISA {

constexpr int lanes = 8;
using Words = std::uint64_t __attribute__((vector_size(64)));
using HalfWords = std::uint32_t __attribute__((vector_size(64)));
using LabelRow = std::uint8_t __attribute__((vector_size(64)));
using RowMask = std::uint64_t;

inline __m512i raw(Words w) { return reinterpret_cast<__m512i>(w); }
inline __m512i raw(LabelRow w) { return reinterpret_cast<__m512i>(w); }
inline Words words(__m512i w) { return reinterpret_cast<Words>(w); }
inline LabelRow labels(__m512i w) { return reinterpret_cast<LabelRow>(w); }

/// Product of the low halves of each lane.
inline Words multiply_low(Words a, Words b) { return words(_mm512_mul_epu32(raw(a), raw(b))); }
inline Words xor3(Words a, Words b, Words c) { return words(_mm512_ternarylogic_epi64(raw(a), raw(b), raw(c), 0x96)); }
/// Low halves of `even` and `odd`, as the low and high half of each lane.
inline Words join_halves(Words even, Words odd) {
    return words(_mm512_mask_shuffle_epi32(raw(even), 0xAAAA, raw(odd), static_cast<_MM_PERM_ENUM>(0xA0)));
}
inline bool any(Words w) { return _mm512_test_epi64_mask(raw(w), raw(w)) != 0; }
/// Appends the words that are not 0 to out[] and first + their lane to index[]; returns their number. Writes `lanes`
/// entries.
inline int append_nonzero(Words w, std::uint64_t first, std::uint64_t* out, std::uint64_t* index) {
    const __mmask8 some = _mm512_test_epi64_mask(raw(w), raw(w));
    const __m512i number =
        _mm512_add_epi64(_mm512_set1_epi64(static_cast<long long>(first)), _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0));
    _mm512_storeu_si512(out, _mm512_maskz_compress_epi64(some, raw(w)));
    _mm512_storeu_si512(index, _mm512_maskz_compress_epi64(some, number));
    return static_cast<int>(_mm_popcnt_u32(some));
}
inline int count_bits(std::uint64_t w) { return static_cast<int>(_mm_popcnt_u64(w)); }
inline Words popcount(Words w) { return words(_mm512_popcnt_epi64(raw(w))); }

// One binary digit of the comparison of random words with a probability: undecided & ~(word ^ digit) keeps the bits
// whose digits agree, undecided & ~word & digit accepts those whose random digit is smaller.
inline Words still_equal(Words undecided, Words word, Words digit) {
    return words(_mm512_ternarylogic_epi64(raw(undecided), raw(word), raw(digit), 0x90));
}
inline Words or_decided_below(Words accepted, Words undecided, Words word, Words digit) {
    return accepted | words(_mm512_ternarylogic_epi64(raw(undecided), raw(word), raw(digit), 0x20));
}

// --- labels -------------------------------------------------------------------------------------------------------

/// min(label, neighbour) where `mask` allows it.
inline LabelRow min_where(LabelRow label, RowMask mask, LabelRow neighbour) {
    return labels(_mm512_mask_min_epu8(raw(label), mask, raw(label), raw(neighbour)));
}
inline LabelRow smaller(LabelRow a, LabelRow b) { return labels(_mm512_min_epu8(raw(a), raw(b))); }
/// a where `mask` allows it, else b.
inline LabelRow choose_where(RowMask mask, LabelRow a, LabelRow b) {
    return labels(_mm512_mask_blend_epi8(mask, raw(b), raw(a)));
}
constexpr bool has_byte_shuffles = true;
/// Byte i of each 16 bytes of the result: byte index[i] < 16 of the same 16 bytes.
inline LabelRow shuffle_bytes(LabelRow bytes, LabelRow index) {
    return labels(_mm512_shuffle_epi8(raw(bytes), raw(index)));
}
inline LabelRow add_where(LabelRow label, RowMask mask, LabelRow amount) {
    return labels(_mm512_mask_add_epi8(raw(label), mask, raw(label), raw(amount)));
}
inline bool differ(LabelRow a, LabelRow b) { return _mm512_cmpneq_epi64_mask(raw(a), raw(b)) != 0; }

/// Masks of the 8 rows of 8 tiles (2D): byte k of tile t becomes byte t of mask k.
inline void row_masks_2d(const std::uint64_t* tile_words, RowMask* masks) {
    alignas(64) static constexpr std::uint8_t order[64] = {
        0,  8,  16, 24, 32, 40, 48, 56, 1,  9,  17, 25, 33, 41, 49, 57, 2,  10, 18, 26, 34, 42,
        50, 58, 3,  11, 19, 27, 35, 43, 51, 59, 4,  12, 20, 28, 36, 44, 52, 60, 5,  13, 21, 29,
        37, 45, 53, 61, 6,  14, 22, 30, 38, 46, 54, 62, 7,  15, 23, 31, 39, 47, 55, 63};
    _mm512_storeu_si512(masks, _mm512_permutexvar_epi8(_mm512_load_si512(order), _mm512_loadu_si512(tile_words)));
}

/// Masks of the 16 rows of 16 tiles (3D): nibble k of tile t becomes nibble t of mask k.
inline void row_masks_3d(const std::uint64_t* tile_words, RowMask* masks) {
    const __m512i low = _mm512_loadu_si512(tile_words), high = _mm512_loadu_si512(tile_words + 8);
    const __m512i lanes16 =
        _mm512_set_epi8(0x78, 0x70, 0x68, 0x60, 0x58, 0x50, 0x48, 0x40, 0x38, 0x30, 0x28, 0x20, 0x18, 0x10, 0x08, 0x00,
                        0x78, 0x70, 0x68, 0x60, 0x58, 0x50, 0x48, 0x40, 0x38, 0x30, 0x28, 0x20, 0x18, 0x10, 0x08, 0x00,
                        0x78, 0x70, 0x68, 0x60, 0x58, 0x50, 0x48, 0x40, 0x38, 0x30, 0x28, 0x20, 0x18, 0x10, 0x08, 0x00,
                        0x78, 0x70, 0x68, 0x60, 0x58, 0x50, 0x48, 0x40, 0x38, 0x30, 0x28, 0x20, 0x18, 0x10, 0x08, 0x00);
    const __m512i quarter = _mm512_set_epi64(0x0303030303030303, 0x0303030303030303, 0x0202020202020202,
                                             0x0202020202020202, 0x0101010101010101, 0x0101010101010101, 0, 0);
    const __m512i low_nibble = _mm512_set1_epi16(0x0F);
    alignas(64) std::uint64_t even[4], odd[4];
    for (int half = 0; half < 2; ++half) {
        const __m512i order =
            _mm512_add_epi8(lanes16, _mm512_add_epi8(quarter, _mm512_set1_epi8(static_cast<char>(4 * half))));
        const __m512i v = _mm512_permutex2var_epi8(low, order, high);
        const __m512i v4 = _mm512_srli_epi16(v, 4), v8 = _mm512_srli_epi16(v, 8);
        _mm256_store_si256(reinterpret_cast<__m256i*>(even),
                           _mm512_cvtepi16_epi8(_mm512_ternarylogic_epi64(low_nibble, v, v4, 0xCA)));
        _mm256_store_si256(reinterpret_cast<__m256i*>(odd),
                           _mm512_cvtepi16_epi8(_mm512_ternarylogic_epi64(low_nibble, v4, v8, 0xCA)));
        for (int i = 0; i < 4; ++i) {
            masks[8 * half + 2 * i] = even[i];
            masks[8 * half + 2 * i + 1] = odd[i];
        }
    }
}

/// Conversion of rows of 8 tiles to whole tiles: qword t of row k becomes qword k of tile t.
inline void rows_to_tiles_2d(const LabelRow* rows, std::uint8_t* tiles) {
    __m512i a[8], b[8];
    for (int i = 0; i < 4; ++i) {
        a[i] = _mm512_unpacklo_epi64(raw(rows[2 * i]), raw(rows[2 * i + 1]));
        a[4 + i] = _mm512_unpackhi_epi64(raw(rows[2 * i]), raw(rows[2 * i + 1]));
    }
    for (int i = 0; i < 2; ++i)  // i = 0: even tiles, 1: odd tiles
        for (int j = 0; j < 2; ++j) {
            b[4 * i + 2 * j] = _mm512_shuffle_i64x2(a[4 * i + 2 * j], a[4 * i + 2 * j + 1], 0x88);
            b[4 * i + 2 * j + 1] = _mm512_shuffle_i64x2(a[4 * i + 2 * j], a[4 * i + 2 * j + 1], 0xDD);
        }
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j) {
            _mm512_storeu_si512(tiles + 64 * (i + 2 * j), _mm512_shuffle_i64x2(b[4 * i + j], b[4 * i + 2 + j], 0x88));
            _mm512_storeu_si512(tiles + 64 * (i + 2 * j + 4),
                                _mm512_shuffle_i64x2(b[4 * i + j], b[4 * i + 2 + j], 0xDD));
        }
}

/// Conversion of rows of 16 tiles to whole tiles: dword t of row k becomes dword k of tile t.
inline void rows_to_tiles_3d(const LabelRow* rows, std::uint8_t* tiles) {
    __m512i a[16], b[16];
    for (int i = 0; i < 8; ++i) {
        a[i] = _mm512_unpacklo_epi32(raw(rows[2 * i]), raw(rows[2 * i + 1]));
        a[8 + i] = _mm512_unpackhi_epi32(raw(rows[2 * i]), raw(rows[2 * i + 1]));
    }
    for (int h = 0; h < 2; ++h)
        for (int i = 0; i < 4; ++i) {
            b[8 * h + i] = _mm512_unpacklo_epi64(a[8 * h + 2 * i], a[8 * h + 2 * i + 1]);
            b[8 * h + 4 + i] = _mm512_unpackhi_epi64(a[8 * h + 2 * i], a[8 * h + 2 * i + 1]);
        }
    // b[4 s + i]: rows 4i..4i+3 of tiles s' + 4 * (128-bit lane), s = 0..3 standing for tiles 0, 1, 2, 3 of each four
    for (int s = 0; s < 4; ++s) {
        const __m512i p = _mm512_shuffle_i64x2(b[4 * s], b[4 * s + 1], 0x88),
                      q = _mm512_shuffle_i64x2(b[4 * s], b[4 * s + 1], 0xDD);
        const __m512i r = _mm512_shuffle_i64x2(b[4 * s + 2], b[4 * s + 3], 0x88),
                      t = _mm512_shuffle_i64x2(b[4 * s + 2], b[4 * s + 3], 0xDD);
        _mm512_storeu_si512(tiles + 64 * s, _mm512_shuffle_i64x2(p, r, 0x88));
        _mm512_storeu_si512(tiles + 64 * (s + 4), _mm512_shuffle_i64x2(q, t, 0x88));
        _mm512_storeu_si512(tiles + 64 * (s + 8), _mm512_shuffle_i64x2(p, r, 0xDD));
        _mm512_storeu_si512(tiles + 64 * (s + 12), _mm512_shuffle_i64x2(q, t, 0xDD));
    }
}

constexpr bool numbers_rows = false;
template <class Lanes>
inline void number_components(const LabelRow*, int, LabelRow*) {}

/// Replaces the labels of a tile (minimal site, plus 64 in interior components) by component indices without gaps:
/// boundary components first, then interior ones, each in the order of labels. Sets the minimal sites of both kinds.
inline void labels_to_components(const std::uint8_t* label, const std::uint8_t* /*index*/, std::uint8_t* component,
                                 std::uint64_t& boundary, std::uint64_t& interior) {
    alignas(64) static constexpr std::uint8_t iota[64] = {
        0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
        22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43,
        44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63};
    const __m512i site = _mm512_load_si512(iota), l = _mm512_loadu_si512(label);
    boundary = _mm512_cmpeq_epi8_mask(l, site);
    interior = _mm512_cmpeq_epi8_mask(l, _mm512_or_si512(site, _mm512_set1_epi8(64)));
    const __m512i first_interior = _mm512_set1_epi8(static_cast<char>(_mm_popcnt_u64(boundary)));
    const __m512i boundary_indices = _mm512_maskz_expand_epi8(boundary, site);
    const __m512i interior_indices = _mm512_maskz_expand_epi8(interior, _mm512_add_epi8(site, first_interior));
    _mm512_storeu_si512(component, _mm512_permutex2var_epi8(boundary_indices, l, interior_indices));
}

// --- cluster spins, boundary bonds, sizes -------------------------------------------------------------------------

/// Bits of `bits` at the positions set in `mask`, packed to the low end.
inline std::uint64_t extract_bits(std::uint64_t bits, std::uint64_t mask) { return _pext_u64(bits, mask); }

/// Bit i of the result: bit component[i] of `values`, for the 64 sites of a tile.
inline std::uint64_t look_up_bits(const std::uint8_t* component, std::uint64_t values) {
    return _mm512_movepi8_mask(_mm512_permutexvar_epi8(_mm512_loadu_si512(component), _mm512_movm_epi8(values)));
}

/// Bit i of the result: the lowest bit of bytes[i], for i < count <= 64.
inline std::uint64_t pack_bytes(const std::uint8_t* bytes, int count) {
    const std::uint64_t used = _bzhi_u64(~std::uint64_t{0}, static_cast<unsigned>(count));
    const __m512i v = _mm512_maskz_loadu_epi8(used, bytes);
    return _mm512_test_epi8_mask(v, _mm512_set1_epi8(1));
}
/// bytes[i] = bit i of bits, for i < count <= 64.
inline void unpack_bits(std::uint64_t bits, int count, std::uint8_t* bytes) {
    const std::uint64_t used = _bzhi_u64(~std::uint64_t{0}, static_cast<unsigned>(count));
    _mm512_mask_storeu_epi8(bytes, used, _mm512_maskz_set1_epi8(bits, 1));
}
/// out[i] = first + i for i < count <= 64.
inline void write_ramp(std::uint32_t* out, std::uint32_t first, int count) {
    const __m512i iota = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    for (int i = 0; i < count; i += 16) {
        const auto used = static_cast<__mmask16>(_bzhi_u32(0xFFFF, static_cast<unsigned>(count - i)));
        const __m512i ids = _mm512_add_epi32(iota, _mm512_set1_epi32(static_cast<int>(first) + i));
        _mm512_mask_storeu_epi32(out + i, used, ids);
    }
}

/// Copies the bytes of the sites in `sites` to out[], without gaps; returns their number. Writes 64 bytes.
inline int compress_bytes(const std::uint8_t* bytes, std::uint64_t sites, std::uint8_t* out) {
    _mm512_storeu_si512(out, _mm512_maskz_compress_epi8(sites, _mm512_loadu_si512(bytes)));
    return static_cast<int>(_mm_popcnt_u64(sites));
}
/// Number of the 64 bytes that equal `value`.
inline int count_equal_bytes(const std::uint8_t* bytes, std::uint8_t value) {
    return static_cast<int>(
        _mm_popcnt_u64(_mm512_cmpeq_epi8_mask(_mm512_loadu_si512(bytes), _mm512_set1_epi8(static_cast<char>(value)))));
}

}  // namespace strata::swendsen_wang::STRATA_ISA
