// SPDX-License-Identifier: BSD-3-Clause
// The eight accumulators of a column are the lanes of 64 bytes of doubles.
#include "kernels/kronecker/column_core.hpp"
#include "kernels/kronecker/column_vectors.hpp"
#include "kernels/kronecker/register_tile.hpp"

namespace strata::kronecker::STRATA_ISA {
namespace {

using strata::STRATA_ISA::Lanes;
constexpr int accumulator_bytes = column_lanes * sizeof(double);
using Accumulators = Lanes<double, accumulator_bytes>;
/// Bytes of as many elements as there are accumulators.
template <class Real>
constexpr int element_bytes = column_lanes * sizeof(Real);

template <class Real>
[[gnu::always_inline]] inline Accumulators doubles(Lanes<Real, element_bytes<Real>> v) {
    if constexpr (sizeof(Real) == sizeof(double))
        return v;
    else
        return strata::STRATA_ISA::to_doubles<element_bytes<Real>>(v);
}

/// First `count` elements at p, followed by zeros.
template <class Real, int Bytes>
[[gnu::always_inline]] inline Lanes<Real, Bytes> first_elements(const Real* p, int count) {
    if constexpr (Bytes > register_bytes) {
        constexpr int half = strata::STRATA_ISA::lanes<Real, Bytes / 2>;
        return {first_elements<Real, Bytes / 2>(p, std::min(count, half)),
                first_elements<Real, Bytes / 2>(p + half, std::max(count - half, 0))};
    } else
        return FirstLanes<Real, VectorOf<Real, Bytes>>(count).load(p);
}

/// Sum of the lanes in the order of column_sum() of column_core.hpp.
template <int Bytes>
[[gnu::always_inline]] inline double sum(Lanes<double, Bytes> v) {
    if constexpr (Bytes == 2 * sizeof(double))
        return v[0] + v[1];
    else if constexpr (Bytes > register_bytes)
        return sum<Bytes / 2>(v.low + v.high);
    else {
        union {
            Lanes<double, Bytes> whole;
            Lanes<double, Bytes / 2> half[2];
        } parts = {v};
        return sum<Bytes / 2>(parts.half[0] + parts.half[1]);
    }
}

template <class Real>
[[gnu::always_inline]] inline double dot_of_column(const Real* x, const Real* y, std::uint64_t size) {
    Accumulators sums = {};
    std::uint64_t e = 0;
    constexpr int bytes = element_bytes<Real>;
    const auto load = [](const Real* p) { return doubles<Real>(strata::STRATA_ISA::load_unaligned<Real, bytes>(p)); };
    for (; e + column_lanes <= size; e += column_lanes) sums += load(x + e) * load(y + e);
    if (const auto left = static_cast<int>(size - e); left > 0)
        sums += doubles<Real>(first_elements<Real, bytes>(x + e, left)) *
                doubles<Real>(first_elements<Real, bytes>(y + e, left));
    return sum<accumulator_bytes>(sums);
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
