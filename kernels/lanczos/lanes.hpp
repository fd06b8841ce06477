// SPDX-License-Identifier: BSD-3-Clause
// Eight doubles at once. Multiplications and additions are fused in every instruction set, so that all give the same
// bits.
#pragma once

#include <cstdint>
#include <cstring>
#include <initializer_list>
#if defined(__AVX512F__) || defined(__FMA__)
#include <immintrin.h>
#endif

namespace strata::lanczos::STRATA_ISA {

typedef double Lanes __attribute__((vector_size(64)));
typedef std::int64_t LaneIndex __attribute__((vector_size(64)));
constexpr int lanes = 8;

inline Lanes load(const double* p) { return *reinterpret_cast<const Lanes*>(p); }
inline void store(double* p, Lanes v) { *reinterpret_cast<Lanes*>(p) = v; }
inline Lanes all(double x) { return Lanes{x, x, x, x, x, x, x, x}; }

/// Brings `reals` reals on their way to the second cache.
inline void fetch(const double* p, std::uint64_t reals) {
    for (std::uint64_t i = 0; i < reals; i += lanes) __builtin_prefetch(p + i, 0, 2);
}

/// a * b + c, rounded once.
[[gnu::always_inline]] inline Lanes fma(Lanes a, Lanes b, Lanes c) {
#if defined(__AVX512F__)
    return (Lanes)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
#elif defined(__FMA__)
    union Halves {
        Lanes v;
        __m256d h[2];
    };
    Halves x = {a}, y = {b}, z = {c};
    for (int i = 0; i < 2; ++i) z.h[i] = _mm256_fmadd_pd(x.h[i], y.h[i], z.h[i]);
    return z.v;
#else
    for (int i = 0; i < lanes; ++i) c[i] = __builtin_fma(a[i], b[i], c[i]);
    return c;
#endif
}

/// i times the pairs (re, im): (-im, re).
[[gnu::always_inline]] inline Lanes times_i(Lanes v) {
    return __builtin_shuffle(v, LaneIndex{1, 0, 3, 2, 5, 4, 7, 6}) * Lanes{-1, 1, -1, 1, -1, 1, -1, 1};
}

/// Rows to columns.
[[gnu::always_inline]] inline void transpose(Lanes (&r)[lanes]) {
    Lanes s[lanes];
    for (int i = 0; i < lanes; i += 2) {
        s[i] = __builtin_shuffle(r[i], r[i + 1], LaneIndex{0, 8, 2, 10, 4, 12, 6, 14});
        s[i + 1] = __builtin_shuffle(r[i], r[i + 1], LaneIndex{1, 9, 3, 11, 5, 13, 7, 15});
    }
    for (int i : {0, 1, 4, 5}) {
        r[i] = __builtin_shuffle(s[i], s[i + 2], LaneIndex{0, 1, 8, 9, 4, 5, 12, 13});
        r[i + 2] = __builtin_shuffle(s[i], s[i + 2], LaneIndex{2, 3, 10, 11, 6, 7, 14, 15});
    }
    for (int i = 0; i < 4; ++i) {
        s[i] = __builtin_shuffle(r[i], r[i + 4], LaneIndex{0, 1, 2, 3, 8, 9, 10, 11});
        s[i + 4] = __builtin_shuffle(r[i], r[i + 4], LaneIndex{4, 5, 6, 7, 12, 13, 14, 15});
    }
    for (int i = 0; i < lanes; ++i) r[i] = s[i];
}

/// In the order of the lanes.
inline double sum(Lanes v) {
    double total = 0;
    for (int i = 0; i < lanes; ++i) total += v[i];
    return total;
}

}  // namespace strata::lanczos::STRATA_ISA
