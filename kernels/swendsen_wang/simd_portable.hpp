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
#elif defined(__ARM_NEON)
#include <arm_neon.h>
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
/// Appends the words that are not 0 to out[] and first + their lane to index[]; returns their number. May write `lanes`
/// entries.
inline int append_nonzero(Words w, std::uint64_t first, std::uint64_t* out, std::uint64_t* index) {
    int count = 0;
    for (int i = 0; i < lanes; ++i) {
        out[count] = w[i];
        index[count] = first + static_cast<std::uint64_t>(i);
        count += w[i] != 0 ? 1 : 0;
    }
    return count;
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
#if defined(__AVX2__)
    const __m256i of_nibble = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4,  //
                                               0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
    const __m256i low = _mm256_set1_epi8(0xF), v = reinterpret_cast<__m256i>(w);
    const __m256i bytes =
        _mm256_add_epi8(_mm256_shuffle_epi8(of_nibble, _mm256_and_si256(v, low)),
                        _mm256_shuffle_epi8(of_nibble, _mm256_and_si256(_mm256_srli_epi16(v, 4), low)));
    return reinterpret_cast<Words>(_mm256_sad_epu8(bytes, _mm256_setzero_si256()));
#else
    w -= w >> 1 & 0x5555555555555555u;
    w = (w & 0x3333333333333333u) + (w >> 2 & 0x3333333333333333u);
    w = (w + (w >> 4)) & 0x0F0F0F0F0F0F0F0Fu;
#if defined(__SSE2__)
    return reinterpret_cast<Words>(_mm_sad_epu8(reinterpret_cast<__m128i>(w), _mm_setzero_si128()));
#else
    w += w >> 8;
    w += w >> 16;
    return (w + (w >> 32)) & 0x7F;
#endif
#endif
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
inline LabelRow smaller(LabelRow a, LabelRow b) { return b < a ? b : a; }
/// a where `mask` allows it, else b.
inline LabelRow choose_where(RowMask mask, LabelRow a, LabelRow b) { return (a & ~mask) | (b & mask); }

#if defined(__AVX2__) || defined(__ARM_NEON)
constexpr bool has_byte_shuffles = true;
#else
constexpr bool has_byte_shuffles = false;
#endif
/// Byte i of each 16 bytes of the result: byte index[i] < 16 of the same 16 bytes. A loop without has_byte_shuffles.
inline LabelRow shuffle_bytes(LabelRow bytes, LabelRow index) {
#if defined(__AVX2__)
    return reinterpret_cast<LabelRow>(
        _mm256_shuffle_epi8(reinterpret_cast<__m256i>(bytes), reinterpret_cast<__m256i>(index)));
#elif defined(__ARM_NEON)
    return vqtbl1q_u8(bytes, index);
#else
    LabelRow shuffled;
    for (unsigned i = 0; i < sizeof shuffled; ++i) shuffled[i] = bytes[index[i]];
    return shuffled;
#endif
}
inline LabelRow add_where(LabelRow label, RowMask mask, LabelRow amount) { return label + (amount & ~mask); }
inline bool differ(LabelRow a, LabelRow b) {
    const Words d = reinterpret_cast<Words>(a ^ b);
    return any(d);
}

}  // namespace strata::swendsen_wang::STRATA_ISA
