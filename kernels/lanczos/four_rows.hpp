// SPDX-License-Identifier: BSD-3-Clause
// Sums over the stored hops to 4 rows side by side, where gathers are slower than single loads. A step takes one
// entry of every row; a row that has no more entries keeps its sum:
//
//     entries   row 0: a0 a1 a2      step 3:  numbers |  - | b3 |  - |  - |
//               row 1: b0 b1 b2 b3            sums    |  0 |  1 |  2 |  3 |
//               row 2: c0 c1 c2
//               row 3: d0 d1
//
// Most hops of a sector have the same amplitude, which then is read once. Every row adds its entries in their order, so that
// sums have the bits of those that are added row by row. No branch depends on the length of a row, only on the longest of
// four.
#pragma once

#include <algorithm>

#include "kernels/lanczos/rows_together.hpp"

#if defined(__AVX2__) && defined(__FMA__)
namespace strata::lanczos::STRATA_ISA {

[[gnu::always_inline]] inline __m256d four(const double* x, const std::uint64_t (&at)[4]) {
    return _mm256_set_m128d(_mm_loadh_pd(_mm_load_sd(x + at[2]), x + at[3]),
                            _mm_loadh_pd(_mm_load_sd(x + at[0]), x + at[1]));
}

/// The numbers of 4 rows in registers. of_rows() gives every real of a row that row's double; add() adds a * x where `active`
/// is negative.
template <class Real, int Reals>
struct FourRows;

template <>
struct FourRows<double, 1> {
    __m256d r = _mm256_setzero_pd();
    [[gnu::always_inline]] static FourRows of_rows(__m256d x) { return {x}; }
    [[gnu::always_inline]] static FourRows read(const double* x, const std::uint64_t (&at)[4]) { return {four(x, at)}; }
    [[gnu::always_inline]] void add(FourRows a, FourRows x, FourRows active) {
        r = _mm256_blendv_pd(r, _mm256_fmadd_pd(a.r, x.r, r), active.r);
    }
    [[gnu::always_inline]] void add_to(double* w) const { _mm256_storeu_pd(w, _mm256_add_pd(_mm256_loadu_pd(w), r)); }
};

template <>
struct FourRows<float, 1> {
    __m128 r = _mm_setzero_ps();
    [[gnu::always_inline]] static FourRows of_rows(__m256d x) { return {_mm256_cvtpd_ps(x)}; }
    [[gnu::always_inline]] static FourRows read(const float* x, const std::uint64_t (&at)[4]) {
        return {_mm_setr_ps(x[at[0]], x[at[1]], x[at[2]], x[at[3]])};
    }
    [[gnu::always_inline]] void add(FourRows a, FourRows x, FourRows active) {
        r = _mm_blendv_ps(r, _mm_fmadd_ps(a.r, x.r, r), active.r);
    }
    [[gnu::always_inline]] void add_to(float* w) const { _mm_storeu_ps(w, _mm_add_ps(_mm_loadu_ps(w), r)); }
};

template <>
struct FourRows<double, 2> {
    __m256d low = _mm256_setzero_pd(), high = _mm256_setzero_pd();
    [[gnu::always_inline]] static FourRows of_rows(__m256d x) {
        return {_mm256_permute4x64_pd(x, 0x50), _mm256_permute4x64_pd(x, 0xfa)};
    }
    [[gnu::always_inline]] static FourRows read(const double* x, const std::uint64_t (&at)[4]) {
        return {_mm256_set_m128d(_mm_loadu_pd(x + 2 * at[1]), _mm_loadu_pd(x + 2 * at[0])),
                _mm256_set_m128d(_mm_loadu_pd(x + 2 * at[3]), _mm_loadu_pd(x + 2 * at[2]))};
    }
    [[gnu::always_inline]] void add(FourRows a, FourRows x, FourRows active) {
        low = _mm256_blendv_pd(low, _mm256_fmadd_pd(a.low, x.low, low), active.low);
        high = _mm256_blendv_pd(high, _mm256_fmadd_pd(a.high, x.high, high), active.high);
    }
    [[gnu::always_inline]] void add_to(double* w) const {
        _mm256_storeu_pd(w, _mm256_add_pd(_mm256_loadu_pd(w), low));
        _mm256_storeu_pd(w + 4, _mm256_add_pd(_mm256_loadu_pd(w + 4), high));
    }
};

template <>
struct FourRows<float, 2> {
    __m256 r = _mm256_setzero_ps();
    [[gnu::always_inline]] static FourRows of_rows(__m256d x) {
        const __m128 f = _mm256_cvtpd_ps(x);
        return {_mm256_set_m128(_mm_unpackhi_ps(f, f), _mm_unpacklo_ps(f, f))};
    }
    [[gnu::always_inline]] static FourRows read(const float* x, const std::uint64_t (&at)[4]) {
        const auto pair = [&](int i) __attribute__((always_inline)) {
            return reinterpret_cast<const __m64*>(x + 2 * at[i]);
        };
        const __m128 none = _mm_setzero_ps();
        return {_mm256_set_m128(_mm_loadh_pi(_mm_loadl_pi(none, pair(2)), pair(3)),
                                _mm_loadh_pi(_mm_loadl_pi(none, pair(0)), pair(1)))};
    }
    [[gnu::always_inline]] void add(FourRows a, FourRows x, FourRows active) {
        r = _mm256_blendv_ps(r, _mm256_fmadd_ps(a.r, x.r, r), active.r);
    }
    [[gnu::always_inline]] void add_to(float* w) const { _mm256_storeu_ps(w, _mm256_add_ps(_mm256_loadu_ps(w), r)); }
};

/// Adds to w the sums over the hops to the 4 rows from `row` on. False, and nothing is done, where one of the hops has an
/// imaginary part, or where the entries are the last of all `entries` of the rank: they are read two at a time, also those
/// behind a row's.
template <int Reals, class Real>
bool add_four_rows(const HoppingView& hops, std::uint64_t row, std::uint64_t entries, const Real* numbers, Real* w) {
    using Rows = FourRows<Real, Reals>;
    const std::uint64_t* first = hops.first + row;
    const std::uint32_t* begin[4];
    alignas(32) double counts[4];
    std::uint64_t most = 0;
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) {
        if (hops.complex[row + static_cast<std::uint64_t>(i)] != first[i + 1]) return false;
        const std::uint64_t length = first[i + 1] - first[i];
        most = std::max(most, length);
        counts[i] = static_cast<double>(static_cast<std::int64_t>(length));
        begin[i] = hops.entries + first[i];
        __builtin_prefetch(begin[i] + fetched_ahead);
        __builtin_prefetch(begin[i] + fetched_ahead + 16);
    }
    if (first[3] + most + 1 > entries) return false;
    const std::uint32_t classes = hops.class_mask(), usual = *begin[0] & classes;
    const std::uint64_t both = classes | std::uint64_t{classes} << 32, usual_pair = usual | std::uint64_t{usual} << 32;
    const Rows usual_amplitude = Rows::of_rows(_mm256_set1_pd(hops.re[usual]));
    const int bits = hops.bits;
    const __m256d count = _mm256_load_pd(counts), one = _mm256_set1_pd(1);
    __m256d e = _mm256_setzero_pd();
    Rows sum;
    for (std::uint64_t i = 0; i < most; i += 2) {
        std::uint64_t pair[4], at[2][4], others = 0;
#pragma GCC unroll 4
        for (int r = 0; r < 4; ++r) {
            __builtin_memcpy(&pair[r], begin[r] + i, sizeof(pair[r]));
            at[0][r] = static_cast<std::uint32_t>(pair[r]) >> bits;
            at[1][r] = pair[r] >> (32 + bits);
            others |= pair[r] ^ usual_pair;
        }
        const Rows x[2] = {Rows::read(numbers, at[0]), Rows::read(numbers, at[1])};
        const __m256d next = _mm256_add_pd(e, one);
        const Rows active[2] = {Rows::of_rows(_mm256_sub_pd(e, count)), Rows::of_rows(_mm256_sub_pd(next, count))};
        e = _mm256_add_pd(next, one);
        if ((others & both) == 0) {
            sum.add(usual_amplitude, x[0], active[0]);
            sum.add(usual_amplitude, x[1], active[1]);
            continue;
        }
#pragma GCC unroll 2
        for (int k = 0; k < 2; ++k) {
            std::uint64_t c[4];
#pragma GCC unroll 4
            for (int r = 0; r < 4; ++r) c[r] = pair[r] >> 32 * k & classes;
            sum.add(Rows::of_rows(four(hops.re, c)), x[k], active[k]);
        }
    }
    sum.add_to(w);
    return true;
}

}  // namespace strata::lanczos::STRATA_ISA
#endif
