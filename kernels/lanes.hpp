// SPDX-License-Identifier: BSD-3-Clause
// 64 bytes of reals at once: 8 doubles or 16 floats. Multiplications and additions are fused in every instruction set,
// so that all give the same bits.
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>
#if defined(__AVX512F__) || defined(__FMA__)
#include <immintrin.h>
#endif

namespace strata::STRATA_ISA {

template <class Real>
struct Simd;
template <>
struct Simd<double> {
    typedef double Lanes __attribute__((vector_size(64)));
    typedef std::int64_t Index __attribute__((vector_size(64)));
};
template <>
struct Simd<float> {
    typedef float Lanes __attribute__((vector_size(64)));
    typedef std::int32_t Index __attribute__((vector_size(64)));
};
template <class Real>
using Lanes = typename Simd<Real>::Lanes;
template <class Real>
constexpr int lanes = 64 / sizeof(Real);

template <class Real>
[[gnu::always_inline]] inline Lanes<Real> load(const Real* p) {
    return *reinterpret_cast<const Lanes<Real>*>(p);
}
template <class Real>
[[gnu::always_inline]] inline void store(Real* p, std::type_identity_t<Lanes<Real>> v) {
    *reinterpret_cast<Lanes<Real>*>(p) = v;
}
template <class Real>
[[gnu::always_inline]] inline Lanes<Real> all(double x) {
    return Lanes<Real>{} + static_cast<Real>(x);
}

/// Brings `reals` reals on their way to the second cache.
template <class Real>
inline void fetch(const Real* p, std::uint64_t reals) {
    for (std::uint64_t i = 0; i < reals; i += lanes<Real>) __builtin_prefetch(p + i, 0, 2);
}

/// a * b + c, rounded once.
[[gnu::always_inline]] inline Lanes<double> fma(Lanes<double> a, Lanes<double> b, Lanes<double> c) {
#if defined(__AVX512F__)
    return (Lanes<double>)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
#elif defined(__FMA__)
    union Halves {
        Lanes<double> v;
        __m256d h[2];
    };
    Halves x = {a}, y = {b}, z = {c};
    for (int i = 0; i < 2; ++i) z.h[i] = _mm256_fmadd_pd(x.h[i], y.h[i], z.h[i]);
    return z.v;
#else
    for (int i = 0; i < lanes<double>; ++i) c[i] = __builtin_fma(a[i], b[i], c[i]);
    return c;
#endif
}
[[gnu::always_inline]] inline Lanes<float> fma(Lanes<float> a, Lanes<float> b, Lanes<float> c) {
#if defined(__AVX512F__)
    return (Lanes<float>)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
#elif defined(__FMA__)
    union Halves {
        Lanes<float> v;
        __m256 h[2];
    };
    Halves x = {a}, y = {b}, z = {c};
    for (int i = 0; i < 2; ++i) z.h[i] = _mm256_fmadd_ps(x.h[i], y.h[i], z.h[i]);
    return z.v;
#else
    for (int i = 0; i < lanes<float>; ++i) c[i] = __builtin_fmaf(a[i], b[i], c[i]);
    return c;
#endif
}

namespace shuffles {

template <class Real, std::size_t... L>
[[gnu::always_inline]] inline Lanes<Real> times_i(Lanes<Real> v, std::index_sequence<L...>) {
    return __builtin_shuffle(v, typename Simd<Real>::Index{(L ^ 1)...}) *
           Lanes<Real>{(L % 2 == 0 ? Real(-1) : Real(1))...};
}

/// Of two rows that lie `S` apart, exchanges the lanes that belong to the other one.
template <class Real, std::size_t S, std::size_t... L>
[[gnu::always_inline]] inline void exchange(Lanes<Real>& a, Lanes<Real>& b, std::index_sequence<L...>) {
    constexpr std::size_t n = sizeof...(L);
    const Lanes<Real> low = __builtin_shuffle(a, b, typename Simd<Real>::Index{((L & S) != 0 ? n + L - S : L)...});
    b = __builtin_shuffle(a, b, typename Simd<Real>::Index{((L & S) != 0 ? n + L : L + S)...});
    a = low;
}

template <class Real, std::size_t S>
[[gnu::always_inline]] inline void exchange_all(Lanes<Real> (&r)[lanes<Real>]) {
    constexpr std::size_t n = lanes<Real>;
    for (std::size_t i = 0; i < n; ++i)
        if ((i & S) == 0) exchange<Real, S>(r[i], r[i + S], std::make_index_sequence<n>());
}

}  // namespace shuffles

/// i times the pairs (re, im): (-im, re).
template <class Real>
[[gnu::always_inline]] inline Lanes<Real> times_i(Lanes<Real> v) {
    return shuffles::times_i<Real>(v, std::make_index_sequence<lanes<Real>>());
}

/// Rows to columns.
template <class Real>
[[gnu::always_inline]] inline void transpose(Lanes<Real> (&r)[lanes<Real>]) {
    shuffles::exchange_all<Real, 1>(r);
    shuffles::exchange_all<Real, 2>(r);
    shuffles::exchange_all<Real, 4>(r);
    if constexpr (lanes<Real> == 16) shuffles::exchange_all<Real, 8>(r);
}

/// In the order of the lanes.
template <class Real>
inline double sum(Lanes<Real> v) {
    double total = 0;
    for (int i = 0; i < lanes<Real>; ++i) total += static_cast<double>(v[i]);
    return total;
}

/// A sum of products of reals of either precision, kept in doubles.
template <class Real>
class DoubleSum;
template <>
class DoubleSum<double> {
  public:
    [[gnu::always_inline]] void add(Lanes<double> a, Lanes<double> b) { sum_ = fma(a, b, sum_); }
    double total() const { return sum<double>(sum_); }

  private:
    Lanes<double> sum_ = {};
};
template <>
class DoubleSum<float> {
  public:
    [[gnu::always_inline]] void add(Lanes<float> a, Lanes<float> b) {
        low_ = fma(half(a, 0), half(b, 0), low_);
        high_ = fma(half(a, 1), half(b, 1), high_);
    }
    double total() const { return sum<double>(low_) + sum<double>(high_); }

  private:
    [[gnu::always_inline]] static Lanes<double> half(Lanes<float> v, int which) {
        typedef float Half __attribute__((vector_size(32)));
        union {
            Lanes<float> whole;
            Half half[2];
        } parts = {v};
        return __builtin_convertvector(parts.half[which], Lanes<double>);
    }
    Lanes<double> low_ = {}, high_ = {};
};

}  // namespace strata::STRATA_ISA
