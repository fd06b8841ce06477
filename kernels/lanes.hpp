// SPDX-License-Identifier: BSD-3-Clause
// Vectors of 64 bytes of reals (8 doubles or 16 floats), or of 32 bytes for kernels whose working set in the cache
// matters more than the width of a register. Multiplications and additions are fused in every instruction set, so that
// all give the same bits.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#if defined(__AVX512F__) || defined(__FMA__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace strata::STRATA_ISA {

/// Bytes of a vector register of the instruction set.
#if defined(__AVX512F__)
constexpr int register_bytes = 64;
#elif defined(__FMA__)
constexpr int register_bytes = 32;
#else
constexpr int register_bytes = 16;
#endif

/// The compiler's vector types.
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

template <class Real, int Bytes>
struct Halves;
/// Vector of `Bytes` bytes: a compiler vector if a register holds it, else two halves, recursively; the compiler would
/// keep a wider vector type in memory.
template <class Real, int Bytes = 64>
using Lanes =
    typename std::conditional_t<(Bytes > register_bytes), std::type_identity<Halves<Real, Bytes>>,
                                std::type_identity<typename Simd<Real, std::min(Bytes, register_bytes)>::Lanes>>::type;
template <class Real, int Bytes = 64>
constexpr int lanes = Bytes / sizeof(Real);
/// A square matrix: as many rows as a vector has lanes.
template <class Real, int Bytes = 64>
using LaneSquare = Lanes<Real, Bytes>[lanes<Real, Bytes>];

template <class Real, int Bytes>
struct Halves {
    Lanes<Real, Bytes / 2> low, high;

    Real& operator[](std::size_t lane) { return reinterpret_cast<Real*>(this)[lane]; }
    const Real& operator[](std::size_t lane) const { return reinterpret_cast<const Real*>(this)[lane]; }
    [[gnu::always_inline]] friend Halves operator+(Halves a, Halves b) { return {a.low + b.low, a.high + b.high}; }
    [[gnu::always_inline]] friend Halves operator-(Halves a, Halves b) { return {a.low - b.low, a.high - b.high}; }
    [[gnu::always_inline]] friend Halves operator*(Halves a, Halves b) { return {a.low * b.low, a.high * b.high}; }
    [[gnu::always_inline]] friend Halves operator+(Halves a, Real b) { return {a.low + b, a.high + b}; }
    [[gnu::always_inline]] friend Halves operator-(Halves a) { return {-a.low, -a.high}; }
    [[gnu::always_inline]] Halves& operator+=(Halves b) { return *this = *this + b; }
};

/// load and store need addresses aligned to a register.
template <class Real, int Bytes = 64>
[[gnu::always_inline]] inline Lanes<Real, Bytes> load(const Real* p) {
    if constexpr (Bytes > register_bytes)
        return {load<Real, Bytes / 2>(p), load<Real, Bytes / 2>(p + lanes<Real, Bytes / 2>)};
    else
        return *reinterpret_cast<const Lanes<Real, Bytes>*>(p);
}
template <int Bytes = 64, class Real>
[[gnu::always_inline]] inline void store(Real* p, std::type_identity_t<Lanes<Real, Bytes>> v) {
    if constexpr (Bytes > register_bytes) {
        store<Bytes / 2>(p, v.low);
        store<Bytes / 2>(p + lanes<Real, Bytes / 2>, v.high);
    } else
        *reinterpret_cast<Lanes<Real, Bytes>*>(p) = v;
}
/// load and store for any address.
template <class Real, int Bytes = 64>
[[gnu::always_inline]] inline Lanes<Real, Bytes> load_unaligned(const Real* p) {
    if constexpr (Bytes > register_bytes)
        return {load_unaligned<Real, Bytes / 2>(p), load_unaligned<Real, Bytes / 2>(p + lanes<Real, Bytes / 2>)};
    else {
        Lanes<Real, Bytes> v;
        __builtin_memcpy(&v, p, Bytes);
        return v;
    }
}
template <int Bytes = 64, class Real>
[[gnu::always_inline]] inline void store_unaligned(Real* p, std::type_identity_t<Lanes<Real, Bytes>> v) {
    if constexpr (Bytes > register_bytes) {
        store_unaligned<Bytes / 2>(p, v.low);
        store_unaligned<Bytes / 2>(p + lanes<Real, Bytes / 2>, v.high);
    } else
        __builtin_memcpy(p, &v, Bytes);
}
template <class Real, int Bytes = 64>
[[gnu::always_inline]] inline Lanes<Real, Bytes> all(double x) {
    return Lanes<Real, Bytes>{} + static_cast<Real>(x);
}

/// Vector types of `Bytes` bytes, at most those of a register, for aligned and for any addresses.
template <class Real, int Bytes>
struct VectorOf {
    typedef Real Type __attribute__((vector_size(Bytes)));
    typedef Real Unaligned __attribute__((vector_size(Bytes), aligned(sizeof(Real)), may_alias));
};

/// Load and store of the first `count` lanes of a vector.
template <class Real, class V>
class FirstLanes {
    static constexpr bool is_double = sizeof(Real) == 8;
    using Type = typename V::Type;

  public:
#if defined(__AVX512F__)
    explicit FirstLanes(int count) : mask_(static_cast<__mmask16>((1u << count) - 1)) {}
    [[gnu::always_inline]] Type load(const Real* p) const {
        if constexpr (sizeof(Type) == 64 && is_double) return (Type)_mm512_maskz_loadu_pd(__mmask8(mask_), p);
        if constexpr (sizeof(Type) == 64 && !is_double) return (Type)_mm512_maskz_loadu_ps(mask_, p);
        if constexpr (sizeof(Type) == 32 && is_double) return (Type)_mm256_maskz_loadu_pd(__mmask8(mask_), p);
        if constexpr (sizeof(Type) == 32 && !is_double) return (Type)_mm256_maskz_loadu_ps(__mmask8(mask_), p);
    }
    [[gnu::always_inline]] void store(Real* p, Type v) const {
        if constexpr (sizeof(Type) == 64 && is_double) _mm512_mask_storeu_pd(p, __mmask8(mask_), (__m512d)v);
        if constexpr (sizeof(Type) == 64 && !is_double) _mm512_mask_storeu_ps(p, mask_, (__m512)v);
        if constexpr (sizeof(Type) == 32 && is_double) _mm256_mask_storeu_pd(p, __mmask8(mask_), (__m256d)v);
        if constexpr (sizeof(Type) == 32 && !is_double) _mm256_mask_storeu_ps(p, __mmask8(mask_), (__m256)v);
    }

  private:
    __mmask16 mask_;
#elif defined(__FMA__)
    explicit FirstLanes(int count)
        : mask_(is_double ? _mm256_cmpgt_epi64(_mm256_set1_epi64x(count), _mm256_setr_epi64x(0, 1, 2, 3))
                          : _mm256_cmpgt_epi32(_mm256_set1_epi32(count), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7))) {}
    [[gnu::always_inline]] Type load(const Real* p) const {
        if constexpr (is_double) return (Type)_mm256_maskload_pd(p, mask_);
        if constexpr (!is_double) return (Type)_mm256_maskload_ps(p, mask_);
    }
    [[gnu::always_inline]] void store(Real* p, Type v) const {
        if constexpr (is_double) _mm256_maskstore_pd(p, mask_, (__m256d)v);
        if constexpr (!is_double) _mm256_maskstore_ps(p, mask_, (__m256)v);
    }

  private:
    __m256i mask_;
#else
    explicit FirstLanes(int count) : count_(count) {}
    Type load(const Real* p) const {
        Type v = {};
        for (int i = 0; i < count_; ++i) v[i] = p[i];
        return v;
    }
    void store(Real* p, Type v) const {
        for (int i = 0; i < count_; ++i) p[i] = v[i];
    }

  private:
    int count_;
#endif
};

/// First `count` reals at p, at most a vector, followed by zeros.
template <class Real, int Bytes>
[[gnu::always_inline]] inline Lanes<Real, Bytes> load_first(const Real* p, int count) {
    if constexpr (Bytes > register_bytes) {
        constexpr int half = lanes<Real, Bytes / 2>;
        return {load_first<Real, Bytes / 2>(p, std::min(count, half)),
                load_first<Real, Bytes / 2>(p + half, std::max(count - half, 0))};
    } else
        return FirstLanes<Real, VectorOf<Real, Bytes>>(count).load(p);
}
template <int Bytes, class Real>
[[gnu::always_inline]] inline void store_first(Real* p, std::type_identity_t<Lanes<Real, Bytes>> v, int count) {
    if constexpr (Bytes > register_bytes) {
        constexpr int half = lanes<Real, Bytes / 2>;
        store_first<Bytes / 2>(p, v.low, std::min(count, half));
        store_first<Bytes / 2>(p + half, v.high, std::max(count - half, 0));
    } else
        FirstLanes<Real, VectorOf<Real, Bytes>>(count).store(p, v);
}

/// Prefetches `reals` reals into the second-level cache. Always inlined, since g++ treats a function that only
/// prefetches as free of effects and removes calls of it.
template <class Real>
[[gnu::always_inline]] inline void fetch(const Real* p, std::uint64_t reals) {
    for (std::uint64_t i = 0; i < reals; i += lanes<Real>) __builtin_prefetch(p + i, 0, 2);
}

/// a * b + c, rounded once.
template <class Real>
requires std::is_floating_point_v<Real>
[[gnu::always_inline]] inline Real fused(Real a, Real b, Real c) {
    if constexpr (sizeof(Real) == sizeof(double))
        return __builtin_fma(a, b, c);
    else
        return __builtin_fmaf(a, b, c);
}
/// The same in every lane.
template <class Vector>
requires requires(Vector v) { v[0]; }
[[gnu::always_inline]] inline Vector fma(Vector a, std::type_identity_t<Vector> b, std::type_identity_t<Vector> c) {
    using Real = std::remove_cvref_t<decltype(a[0])>;
    [[maybe_unused]] constexpr bool of_doubles = sizeof(Real) == sizeof(double);
    if constexpr (requires { a.low; }) {
        return {fma(a.low, b.low, c.low), fma(a.high, b.high, c.high)};
    } else {
#if defined(__AVX512F__)
        if constexpr (sizeof(Vector) == 64 && of_doubles)
            return (Vector)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
        if constexpr (sizeof(Vector) == 64 && !of_doubles)
            return (Vector)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
#endif
#if defined(__FMA__)
        if constexpr (sizeof(Vector) == 32 && of_doubles)
            return (Vector)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
        if constexpr (sizeof(Vector) == 32 && !of_doubles)
            return (Vector)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
#elif defined(__aarch64__)
        if constexpr (sizeof(Vector) == 16 && of_doubles)
            return (Vector)vfmaq_f64((float64x2_t)c, (float64x2_t)a, (float64x2_t)b);
        if constexpr (sizeof(Vector) == 16 && !of_doubles)
            return (Vector)vfmaq_f32((float32x4_t)c, (float32x4_t)a, (float32x4_t)b);
#endif
        for (std::size_t i = 0; i < sizeof(Vector) / sizeof(Real); ++i) c[i] = fused<Real>(a[i], b[i], c[i]);
        return c;
    }
}

/// A vector of the lanes L of a and b, where those of b have the numbers after those of a. Clang lacks the second builtin, and
/// g++ 11 the first one.
template <class Real, int Bytes, std::size_t... L>
[[gnu::always_inline]] inline Lanes<Real, Bytes> shuffle(Lanes<Real, Bytes> a, Lanes<Real, Bytes> b) {
#if __has_builtin(__builtin_shufflevector)
    return __builtin_shufflevector(a, b, L...);
#else
    return __builtin_shuffle(a, b, typename Simd<Real, Bytes>::Index{L...});
#endif
}

/// Lane l of v is lane l ^ S of the result.
template <class Real, int Bytes, std::size_t S>
[[gnu::always_inline]] inline Lanes<Real, Bytes> flip(Lanes<Real, Bytes> v) {
    if constexpr (Bytes > register_bytes && S == lanes<Real, Bytes / 2>)
        return {v.high, v.low};
    else if constexpr (Bytes > register_bytes)
        return {flip<Real, Bytes / 2, S>(v.low), flip<Real, Bytes / 2, S>(v.high)};
    else
        return [&]<std::size_t... L>(std::index_sequence<L...>) __attribute__((always_inline)) {
            return shuffle<Real, Bytes, (L ^ S)...>(v, v);
        }
    (std::make_index_sequence<lanes<Real, Bytes>>());
}

/// -1 in the lanes that have the bit S in their number, and 1 in the others.
template <class Real, int Bytes, std::size_t S>
[[gnu::always_inline]] inline Lanes<Real, Bytes> signs() {
    if constexpr (Bytes > register_bytes && S == lanes<Real, Bytes / 2>)
        return {all<Real, Bytes / 2>(1), all<Real, Bytes / 2>(-1)};
    else if constexpr (Bytes > register_bytes)
        return {signs<Real, Bytes / 2, S>(), signs<Real, Bytes / 2, S>()};
    else
        return []<std::size_t... L>(std::index_sequence<L...>) __attribute__((always_inline)) {
            return Lanes<Real, Bytes>{((L & S) == 0 ? Real(1) : Real(-1))...};
        }
    (std::make_index_sequence<lanes<Real, Bytes>>());
}

/// One step of a transposition: exchanges the lanes of `a` (row i) whose number has the bit S with the lanes of `b`
/// (row i + S) whose number has not.
template <class Real, int Bytes, std::size_t S>
[[gnu::always_inline]] inline void exchange(Lanes<Real, Bytes>& a, Lanes<Real, Bytes>& b) {
    if constexpr (Bytes > register_bytes && S == lanes<Real, Bytes / 2>) {
        std::swap(a.high, b.low);
    } else if constexpr (Bytes > register_bytes) {
        exchange<Real, Bytes / 2, S>(a.low, b.low);
        exchange<Real, Bytes / 2, S>(a.high, b.high);
    } else {
        [&]<std::size_t... L>(std::index_sequence<L...>) __attribute__((always_inline)) {
            constexpr std::size_t n = sizeof...(L);
            const Lanes<Real, Bytes> low = shuffle<Real, Bytes, ((L & S) != 0 ? n + L - S : L)...>(a, b);
            b = shuffle<Real, Bytes, ((L & S) != 0 ? n + L : L + S)...>(a, b);
            a = low;
        }
        (std::make_index_sequence<lanes<Real, Bytes>>());
    }
}

template <class Real, int Bytes, std::size_t S>
[[gnu::always_inline]] inline void exchange_all(LaneSquare<Real, Bytes>& r) {
    constexpr std::size_t n = lanes<Real, Bytes>;
    if constexpr (S < n)
        for (std::size_t i = 0; i < n; ++i)
            if ((i & S) == 0) exchange<Real, Bytes, S>(r[i], r[i + S]);
}

/// i times the pairs (re, im): (-im, re).
template <class Real, int Bytes = 64>
[[gnu::always_inline]] inline Lanes<Real, Bytes> times_i(Lanes<Real, Bytes> v) {
    return flip<Real, Bytes, 1>(v) * -signs<Real, Bytes, 1>();
}

/// Transposes a square matrix whose row i is r[i].
template <class Real, int Bytes = 64>
[[gnu::always_inline]] inline void transpose(LaneSquare<Real, Bytes>& r) {
    exchange_all<Real, Bytes, 1>(r);
    exchange_all<Real, Bytes, 2>(r);
    exchange_all<Real, Bytes, 4>(r);
    exchange_all<Real, Bytes, 8>(r);
}

/// Sum of the lanes in ascending order, in double precision.
template <class Real, int Bytes = 64>
inline double sum(Lanes<Real, Bytes> v) {
    double total = 0;
    for (std::size_t i = 0; i < lanes<Real, Bytes>; ++i) total += static_cast<double>(v[i]);
    return total;
}

template <int Bytes>
[[gnu::always_inline]] inline Lanes<double, 2 * Bytes> to_doubles(Lanes<float, Bytes> v) {
    if constexpr (Bytes > register_bytes) {
        return {to_doubles<Bytes / 2>(v.low), to_doubles<Bytes / 2>(v.high)};
    } else if constexpr (2 * Bytes > register_bytes) {
        using Half = typename Simd<float, Bytes / 2>::Lanes;
        union {
            Lanes<float, Bytes> whole;
            Half half[2];
        } parts = {v};
        return {__builtin_convertvector(parts.half[0], Lanes<double, Bytes>),
                __builtin_convertvector(parts.half[1], Lanes<double, Bytes>)};
    } else
        return __builtin_convertvector(v, Lanes<double, 2 * Bytes>);
}

/// Sum of products of reals of either precision, accumulated in doubles.
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
        sum_ = fma(to_doubles<32>(a), to_doubles<32>(b), sum_);
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
        return to_doubles<32>(which == 0 ? v.low : v.high);
#endif
    }
    Lanes<double> low_ = {}, high_ = {};
};

}  // namespace strata::STRATA_ISA
