// SPDX-License-Identifier: BSD-3-Clause
// The eight accumulators of a column are the lanes of one register of doubles.
#if defined(__AVX512F__)
#include <immintrin.h>
#endif

#include "kernels/kronecker/column_core.hpp"
#include "kernels/kronecker/column_vectors.hpp"

namespace strata::kronecker::STRATA_ISA {
namespace {

typedef double Accumulators __attribute__((vector_size(8 * column_lanes)));
/// As many elements, at any address.
template <class Real>
struct Unaligned;
template <>
struct Unaligned<double> {
    typedef double Lanes __attribute__((vector_size(8 * column_lanes), aligned(8)));
};
template <>
struct Unaligned<float> {
    typedef float Lanes __attribute__((vector_size(4 * column_lanes), aligned(4)));
};

template <class Real>
[[gnu::always_inline]] inline Accumulators doubles(const Real* p) {
    return __builtin_convertvector(*reinterpret_cast<const typename Unaligned<Real>::Lanes*>(p), Accumulators);
}

/// The `count` < 8 elements at p, and zeros.
template <class Real>
[[gnu::always_inline]] inline Accumulators first_doubles(const Real* p, std::uint64_t count) {
#if defined(__AVX512F__)
    const auto mask = static_cast<__mmask8>((1U << count) - 1);
    if constexpr (sizeof(Real) == sizeof(double)) return (Accumulators)_mm512_maskz_loadu_pd(mask, p);
#endif
    Accumulators v = {};
    for (std::uint64_t lane = 0; lane < count; ++lane) v[lane] = static_cast<double>(p[lane]);
    return v;
}

/// In the order of column_sum() of column_core.hpp.
[[gnu::always_inline]] inline double sum(Accumulators sums) {
    typedef double Half __attribute__((vector_size(32)));
    typedef double Quarter __attribute__((vector_size(16)));
    union {
        Accumulators whole;
        Half half[2];
    } eight = {sums};
    union {
        Half whole;
        Quarter half[2];
    } four = {eight.half[0] + eight.half[1]};
    const Quarter two = four.half[0] + four.half[1];
    return two[0] + two[1];
}

template <class Real>
[[gnu::always_inline]] inline double dot_of_column(const Real* x, const Real* y, std::uint64_t size) {
    Accumulators sums = {};
    std::uint64_t e = 0;
    for (; e + column_lanes <= size; e += column_lanes) sums += doubles(x + e) * doubles(y + e);
    if (e < size) sums += first_doubles(x + e, size - e) * first_doubles(y + e, size - e);
    return sum(sums);
}

}  // namespace

template <class Real>
void dots(const std::uint64_t* begin, Range columns, std::span<const ColumnPair<Real>> pairs, double* sums) {
    for (std::uint64_t c = columns.first; c < columns.last; ++c)
        for (std::size_t i = 0; i < pairs.size(); ++i)
            sums[c * pairs.size() + i] =
                dot_of_column(pairs[i].x + begin[c], pairs[i].y + begin[c], begin[c + 1] - begin[c]);
}

template <class Real>
void subtract(Range elements, std::span<const Real* const> x, std::span<const Real> factors, Real* y) {
    for (std::size_t i = 0; i < x.size(); ++i) {
        const Real* from = x[i];
        const Real factor = factors[i];
        for (std::uint64_t e = elements.first; e < elements.last; ++e) y[e] -= factor * from[e];
    }
}

template void dots(const std::uint64_t*, Range, std::span<const ColumnPair<double>>, double*);
template void dots(const std::uint64_t*, Range, std::span<const ColumnPair<float>>, double*);
template void subtract(Range, std::span<const double* const>, std::span<const double>, double*);
template void subtract(Range, std::span<const float* const>, std::span<const float>, float*);

}  // namespace strata::kronecker::STRATA_ISA
