// SPDX-License-Identifier: BSD-3-Clause
// 64 bytes of reals at once: 8 doubles or 16 floats; or 32, for kernels whose working set in the cache counts more than
// the width of a register. Multiplications and additions are fused in every instruction set, so that all give the same
// bits.
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>
#if defined(__AVX512F__) || defined(__FMA__)
#include <immintrin.h>
#endif

namespace strata::STRATA_ISA {

template <class Real, int Bytes = 64>
struct Simd;
template <int Bytes>
struct Simd<double, Bytes> {
    typedef double Lanes __attribute__((vector_size(Bytes)));
    typedef std::int64_t Index __attribute__((vector_size(Bytes)));
};
template <int Bytes>
struct Simd<float, Bytes> {
    typedef float Lanes __attribute__((vector_size(Bytes)));
    typedef std::int32_t Index __attribute__((vector_size(Bytes)));
};
template <class Real, int Bytes = 64>
using Lanes = typename Simd<Real, Bytes>::Lanes;
template <class Real, int Bytes = 64>
constexpr int lanes = Bytes / sizeof(Real);

template <class Real, int Bytes = 64>
[[gnu::always_inline]] inline Lanes<Real, Bytes> load(const Real* p) {
    return *reinterpret_cast<const Lanes<Real, Bytes>*>(p);
}
template <int Bytes = 64, class Real>
[[gnu::always_inline]] inline void store(Real* p, std::type_identity_t<Lanes<Real, Bytes>> v) {
    *reinterpret_cast<Lanes<Real, Bytes>*>(p) = v;
}
template <class Real, int Bytes = 64>
[[gnu::always_inline]] inline Lanes<Real, Bytes> all(double x) {
    return Lanes<Real, Bytes>{} + static_cast<Real>(x);
}

/// Brings `reals` reals on their way to the second cache. Always inlined: g++ takes a function that only prefetches for one
/// without effects, and drops calls of it.
template <class Real>
[[gnu::always_inline]] inline void fetch(const Real* p, std::uint64_t reals) {
    for (std::uint64_t i = 0; i < reals; i += lanes<Real>) __builtin_prefetch(p + i, 0, 2);
}

/// a * b + c, rounded once.
template <class Vector>
requires requires(Vector v) { v[0]; }
[[gnu::always_inline]] inline Vector fma(Vector a, std::type_identity_t<Vector> b, std::type_identity_t<Vector> c) {
    using Real = std::remove_cvref_t<decltype(a[0])>;
    [[maybe_unused]] constexpr bool of_doubles = sizeof(Real) == sizeof(double);
#if defined(__AVX512F__)
    if constexpr (sizeof(Vector) == 64) {
        if constexpr (of_doubles)
            return (Vector)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
        else
            return (Vector)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
    }
#endif
#if defined(__FMA__)
    if constexpr (sizeof(Vector) == 32) {
        if constexpr (of_doubles)
            return (Vector)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
        else
            return (Vector)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
    } else if constexpr (sizeof(Vector) == 64) {
        union Halves {
            Vector v;
            Lanes<Real, 32> h[2];
        };
        Halves x = {a}, y = {b}, z = {c};
        for (int i = 0; i < 2; ++i) z.h[i] = fma(x.h[i], y.h[i], z.h[i]);
        return z.v;
    }
#endif
    for (std::size_t i = 0; i < sizeof(Vector) / sizeof(Real); ++i) {
        if constexpr (of_doubles)
            c[i] = __builtin_fma(a[i], b[i], c[i]);
        else
            c[i] = __builtin_fmaf(a[i], b[i], c[i]);
    }
    return c;
}

namespace shuffles {

template <class Real, int Bytes, std::size_t... L>
[[gnu::always_inline]] inline Lanes<Real, Bytes> times_i(Lanes<Real, Bytes> v, std::index_sequence<L...>) {
    return __builtin_shuffle(v, typename Simd<Real, Bytes>::Index{(L ^ 1)...}) *
           Lanes<Real, Bytes>{(L % 2 == 0 ? Real(-1) : Real(1))...};
}

/// Of two rows that lie `S` apart, exchanges the lanes that belong to the other one.
template <class Real, int Bytes, std::size_t S, std::size_t... L>
[[gnu::always_inline]] inline void exchange(Lanes<Real, Bytes>& a, Lanes<Real, Bytes>& b, std::index_sequence<L...>) {
    using Index = typename Simd<Real, Bytes>::Index;
    constexpr std::size_t n = sizeof...(L);
    const Lanes<Real, Bytes> low = __builtin_shuffle(a, b, Index{((L & S) != 0 ? n + L - S : L)...});
    b = __builtin_shuffle(a, b, Index{((L & S) != 0 ? n + L : L + S)...});
    a = low;
}

template <class Real, int Bytes, std::size_t S>
[[gnu::always_inline]] inline void exchange_all(Lanes<Real, Bytes> (&r)[lanes<Real, Bytes>]) {
    constexpr std::size_t n = lanes<Real, Bytes>;
    for (std::size_t i = 0; i < n; ++i)
        if ((i & S) == 0) exchange<Real, Bytes, S>(r[i], r[i + S], std::make_index_sequence<n>());
}

}  // namespace shuffles

/// i times the pairs (re, im): (-im, re).
template <class Real, int Bytes = 64>
[[gnu::always_inline]] inline Lanes<Real, Bytes> times_i(Lanes<Real, Bytes> v) {
    return shuffles::times_i<Real, Bytes>(v, std::make_index_sequence<lanes<Real, Bytes>>());
}

/// Rows to columns.
template <class Real, int Bytes = 64>
[[gnu::always_inline]] inline void transpose(Lanes<Real, Bytes> (&r)[lanes<Real, Bytes>]) {
    shuffles::exchange_all<Real, Bytes, 1>(r);
    if constexpr (lanes<Real, Bytes> >= 4) shuffles::exchange_all<Real, Bytes, 2>(r);
    if constexpr (lanes<Real, Bytes> >= 8) shuffles::exchange_all<Real, Bytes, 4>(r);
    if constexpr (lanes<Real, Bytes> == 16) shuffles::exchange_all<Real, Bytes, 8>(r);
}

/// In the order of the lanes.
template <class Real, int Bytes = 64>
inline double sum(Lanes<Real, Bytes> v) {
    double total = 0;
    for (int i = 0; i < lanes<Real, Bytes>; ++i) total += static_cast<double>(v[i]);
    return total;
}

/// A sum of products of reals of either precision, kept in doubles.
template <class Real, int Bytes = 64>
class DoubleSum;
template <int Bytes>
class DoubleSum<double, Bytes> {
  public:
    [[gnu::always_inline]] void add(Lanes<double, Bytes> a, Lanes<double, Bytes> b) { sum_ = fma(a, b, sum_); }
    double total() const { return sum<double, Bytes>(sum_); }

  private:
    Lanes<double, Bytes> sum_ = {};
};
template <>
class DoubleSum<float, 32> {
  public:
    [[gnu::always_inline]] void add(Lanes<float, 32> a, Lanes<float, 32> b) {
        sum_ = fma(__builtin_convertvector(a, Lanes<double>), __builtin_convertvector(b, Lanes<double>), sum_);
    }
    double total() const { return sum<double>(sum_); }

  private:
    Lanes<double> sum_ = {};
};
template <>
class DoubleSum<float, 64> {
  public:
    [[gnu::always_inline]] void add(Lanes<float> a, Lanes<float> b) {
        low_ = fma(half(a, 0), half(b, 0), low_);
        high_ = fma(half(a, 1), half(b, 1), high_);
    }
    double total() const { return sum<double>(low_) + sum<double>(high_); }

  private:
    [[gnu::always_inline]] static Lanes<double> half(Lanes<float> v, int which) {
#if defined(__AVX512DQ__)  // the compiler converts a quarter at a time
        const __m512 all = (__m512)v;
        return (Lanes<double>)_mm512_cvtps_pd(which == 0 ? _mm512_castps512_ps256(all)
                                                         : _mm512_extractf32x8_ps(all, 1));
#else
        typedef float Half __attribute__((vector_size(32)));
        union {
            Lanes<float> whole;
            Half half[2];
        } parts = {v};
        return __builtin_convertvector(parts.half[which], Lanes<double>);
#endif
    }
    Lanes<double> low_ = {}, high_ = {};
};

/// Bytes of a vector register of the instruction set.
#if defined(__AVX512F__)
constexpr int register_bytes = 64;
#elif defined(__FMA__)
constexpr int register_bytes = 32;
#else
constexpr int register_bytes = 16;
#endif

/// Reals that fill one register, for arithmetic of single elements, whose bits do not depend on how many are together.
template <class Real>
using Vector = Lanes<Real, register_bytes>;
template <class Real>
constexpr int width = lanes<Real, register_bytes>;

template <class Real>
[[gnu::always_inline]] inline Vector<Real> load_vector(const Real* p) {
    return load<Real, register_bytes>(p);
}
template <class Real>
[[gnu::always_inline]] inline void store_vector(Real* p, std::type_identity_t<Vector<Real>> v) {
    store<register_bytes>(p, v);
}
template <class Real>
[[gnu::always_inline]] inline Vector<Real> vector_of(double x) {
    return all<Real, register_bytes>(x);
}

/// DoubleSum<Real, 64> with its bits, of 64 bytes that come one register after the other.
template <class Real>
class RegisterSum {
  public:
    static constexpr int registers = 64 / register_bytes;

    /// Register `part` of the 64 bytes.
    [[gnu::always_inline]] void add(Vector<Real> a, Vector<Real> b, int part) {
        if constexpr (registers == 1)
            sums_.add(a, b);
        else if constexpr (sizeof(Real) == sizeof(double))
            sums_[part] = fma(a, b, sums_[part]);
        else
            for (int half = 0; half < 2; ++half)
                sums_[2 * part + half] = fma(doubles(a, half), doubles(b, half), sums_[2 * part + half]);
    }
    double total() const {
        if constexpr (registers == 1)
            return sums_.total();
        else {
            double total = 0;
            for (int first = 0; first < parts; first += parts_of_sum) {
                double sum = 0;
                for (int i = 0; i < parts_of_sum; ++i)
                    for (int lane = 0; lane < width<double>; ++lane) sum += sums_[first + i][lane];
                total += sum;
            }
            return total;
        }
    }

  private:
    static constexpr int parts = lanes<Real> / width<double>, parts_of_sum = lanes<double> / width<double>;

    [[gnu::always_inline]] static Vector<double> doubles(Vector<float> v, int half) {
        typedef float Half __attribute__((vector_size(register_bytes / 2)));
        union {
            Vector<float> whole;
            Half half[2];
        } halves = {v};
        return __builtin_convertvector(halves.half[half], Vector<double>);
    }

    std::conditional_t<registers == 1, DoubleSum<Real>, Vector<double>[parts]> sums_ = {};
};

}  // namespace strata::STRATA_ISA
