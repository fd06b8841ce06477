// SPDX-License-Identifier: BSD-3-Clause
// Registers of 32-bit unsigned integers: reads from a table at any places, and lists of the lanes that fulfil a condition.
// The number of lanes is that of a register, so that only results that do not depend on it may be computed with them.
#pragma once

#include <array>
#include <cstdint>

#include "kernels/lanes.hpp"

namespace strata::STRATA_ISA {

typedef std::uint32_t Words __attribute__((vector_size(register_bytes)));
constexpr std::uint32_t words = register_bytes / sizeof(std::uint32_t);

[[gnu::always_inline]] inline Words load_words(const std::uint32_t* p) {
    Words v;
    __builtin_memcpy(&v, p, sizeof(v));
    return v;
}
[[gnu::always_inline]] inline void store_words(std::uint32_t* p, Words v) { __builtin_memcpy(p, &v, sizeof(v)); }
[[gnu::always_inline]] inline Words all_words(std::uint32_t x) { return Words{} + x; }

/// table[Stride * index] in every lane; Stride * index must be below 2^31.
template <int Stride = 1>
[[gnu::always_inline]] inline Words gather(const std::uint32_t* table, Words index) {
#if defined(__AVX512F__)
    return (Words)_mm512_i32gather_epi32((__m512i)index, table, 4 * Stride);
#elif defined(__AVX2__)
    return (Words)_mm256_i32gather_epi32(reinterpret_cast<const int*>(table), (__m256i)index, 4 * Stride);
#else
    Words v;
    for (std::size_t lane = 0; lane < words; ++lane) v[lane] = table[Stride * std::uint64_t{index[lane]}];
    return v;
#endif
}

/// Bit l says whether lane l of a is at most that of b.
[[gnu::always_inline]] inline std::uint32_t at_most(Words a, Words b) {
#if defined(__AVX512F__)
    return _mm512_cmple_epu32_mask((__m512i)a, (__m512i)b);
#elif defined(__AVX2__)
    return static_cast<std::uint32_t>(_mm256_movemask_ps((__m256)(a <= b)));
#else
    std::uint32_t mask = 0;
    for (std::uint32_t lane = 0; lane < words; ++lane) mask |= (a[lane] <= b[lane] ? 1u : 0u) << lane;
    return mask;
#endif
}
[[gnu::always_inline]] inline std::uint32_t equal(Words a, Words b) {
#if defined(__AVX512F__)
    return _mm512_cmpeq_epi32_mask((__m512i)a, (__m512i)b);
#elif defined(__AVX2__)
    return static_cast<std::uint32_t>(_mm256_movemask_ps((__m256)(a == b)));
#else
    std::uint32_t mask = 0;
    for (std::uint32_t lane = 0; lane < words; ++lane) mask |= (a[lane] == b[lane] ? 1u : 0u) << lane;
    return mask;
#endif
}

#if defined(__AVX2__) && !defined(__AVX512F__)
/// [mask] numbers of the lanes whose bits are set, a byte each.
constexpr std::array<std::uint64_t, 256> chosen_lanes = [] {
    std::array<std::uint64_t, 256> all{};
    for (std::uint64_t mask = 0; mask < 256; ++mask)
        for (std::uint64_t lane = 0, at = 0; lane < 8; ++lane)
            if ((mask >> lane & 1) != 0) all[mask] |= lane << 8 * at++;
    return all;
}();
#endif
/// Writes the lanes of v whose bits are set one after the other to p; what follows up to a whole register is any lanes or 0.
[[gnu::always_inline]] inline void store_chosen(std::uint32_t* p, Words v, std::uint32_t chosen) {
#if defined(__AVX512F__)
    _mm512_storeu_si512(p, _mm512_maskz_compress_epi32(static_cast<__mmask16>(chosen), (__m512i)v));
#elif defined(__AVX2__)
    const __m256i lanes_of = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128(static_cast<long long>(chosen_lanes[chosen])));
    store_words(p, (Words)_mm256_permutevar8x32_epi32((__m256i)v, lanes_of));
#else
    for (std::uint32_t lane = 0, at = 0; lane < words; ++lane) {
        p[at] = v[lane];
        at += chosen >> lane & 1;
    }
#endif
}

/// 0, 1, 2, ...
[[gnu::always_inline]] inline Words lane_numbers() {
    Words v;
    for (std::uint32_t lane = 0; lane < words; ++lane) v[lane] = lane;
    return v;
}

}  // namespace strata::STRATA_ISA
