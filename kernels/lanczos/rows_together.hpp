// SPDX-License-Identifier: BSD-3-Clause
// Sums over the stored hops to the 16 rows of a block side by side, a row in each lane. The entries of the rows are read 16 at
// a time and transposed in registers:
//
//     row 0:   a0 a1 a2 ...          step 0:  a0 b0 c0 ...       sum[row] = amplitude * number + sum[row]
//     row 1:   b0 b1 b2 ...    ->    step 1:  a1 b1 c1 ...       in the lanes of rows that have so many entries
//
// Every row adds its entries in their order, so that sums have the bits of those that are added row by row.
#pragma once

#include "kernels/lanczos/panel_rows.hpp"

namespace strata::lanczos::STRATA_ISA {

/// Entries are fetched so far ahead of their use: some 40 rows.
constexpr std::uint64_t fetched_ahead = 1024;

#if defined(__AVX512F__)
/// Amplitudes of 8 classes, which stay in a register where these are the first 8.
struct Amplitudes {
    Amplitudes(const double* re, std::uint32_t last) : re_(re), first_(last < 8) {
        if (first_) table_ = _mm512_maskz_loadu_pd(static_cast<__mmask8>((2u << last) - 1), re);
    }
    [[gnu::always_inline]] __m512d operator()(__m256i c) const {
        return first_ ? _mm512_permutexvar_pd(_mm512_cvtepu32_epi64(c), table_) : _mm512_i32gather_pd(c, re_, 8);
    }

  private:
    const double* re_;
    bool first_;
    __m512d table_ = _mm512_setzero_pd();
};

/// Sums of 16 rows.
template <class Real>
struct RowSums;
template <>
struct RowSums<double> {
    __m512d low = _mm512_setzero_pd(), high = _mm512_setzero_pd();

    [[gnu::always_inline]] void add(__mmask16 rows, const Amplitudes& of, __m512i c, __m512i column,
                                    const double* numbers) {
        low = _mm512_mask3_fmadd_pd(of(_mm512_castsi512_si256(c)),
                                    _mm512_i32gather_pd(_mm512_castsi512_si256(column), numbers, 8), low,
                                    static_cast<__mmask8>(rows));
        high = _mm512_mask3_fmadd_pd(of(_mm512_extracti64x4_epi64(c, 1)),
                                     _mm512_i32gather_pd(_mm512_extracti64x4_epi64(column, 1), numbers, 8), high,
                                     static_cast<__mmask8>(rows >> 8));
    }
    void add_to(double* w) const {
        _mm512_storeu_pd(w, _mm512_add_pd(_mm512_loadu_pd(w), low));
        _mm512_storeu_pd(w + 8, _mm512_add_pd(_mm512_loadu_pd(w + 8), high));
    }
};
template <>
struct RowSums<float> {
    __m512 sum = _mm512_setzero_ps();

    [[gnu::always_inline]] void add(__mmask16 rows, const Amplitudes& of, __m512i c, __m512i column,
                                    const float* numbers) {
        const __m256 low = _mm512_cvtpd_ps(of(_mm512_castsi512_si256(c))),
                     high = _mm512_cvtpd_ps(of(_mm512_extracti64x4_epi64(c, 1)));
        sum = _mm512_mask3_fmadd_ps(_mm512_insertf32x8(_mm512_castps256_ps512(low), high, 1),
                                    _mm512_i32gather_ps(column, numbers, 4), sum, rows);
    }
    void add_to(float* w) const { _mm512_storeu_ps(w, _mm512_add_ps(_mm512_loadu_ps(w), sum)); }
};

/// Adds to w the sums over the real hops to the rows of a whole block from `row` on.
template <class Real>
void add_rows_together(const HoppingView& hops, std::uint64_t row, const Real* numbers, Real* w) {
    constexpr std::uint32_t step = lanes<float>;
    static_assert(step == block_rows);
    alignas(64) std::uint32_t lengths[block_rows];
    std::uint32_t most = 0;
    for (std::uint64_t r = 0; r < block_rows; ++r) {
        lengths[r] = static_cast<std::uint32_t>(hops.complex[row + r] - hops.first[row + r]);
        most = std::max(most, lengths[r]);
        for (std::uint32_t e = 0; e < 2 * step; e += step)  // as many as most rows have, without a branch
            __builtin_prefetch(hops.entries + hops.first[row + r] + fetched_ahead + e);
    }
    const __m512i length = _mm512_load_si512(lengths), classes = _mm512_set1_epi32(static_cast<int>(hops.class_mask()));
    const __m128i bits = _mm_cvtsi32_si128(hops.bits);
    RowSums<Real> sums;
    for (std::uint32_t begin = 0; begin < most; begin += step) {
        LaneSquare<float, 64> entries;
        __m512i last = _mm512_setzero_si512();
        for (std::uint64_t r = 0; r < block_rows; ++r) {
            const std::uint32_t left = lengths[r] - std::min(lengths[r], begin);
            const auto read = static_cast<__mmask16>((1u << std::min(left, step)) - 1);
            const __m512i of_row = _mm512_maskz_loadu_epi32(read, hops.entries + hops.first[row + r] + begin);
            last = _mm512_max_epu32(last, _mm512_and_si512(of_row, classes));
            entries[r] = (Lanes<float>)of_row;
        }
        transpose<float>(entries);
        const Amplitudes amplitudes(hops.re, _mm512_reduce_max_epu32(last));
        for (std::uint32_t e = 0; e < std::min(step, most - begin); ++e) {
            const auto entry = (__m512i)entries[e];
            const __mmask16 rows = _mm512_cmpgt_epu32_mask(length, _mm512_set1_epi32(static_cast<int>(begin + e)));
            sums.add(rows, amplitudes, _mm512_and_si512(entry, classes), _mm512_srl_epi32(entry, bits), numbers);
        }
    }
    sums.add_to(w);
}
#endif

}  // namespace strata::lanczos::STRATA_ISA
