// SPDX-License-Identifier: BSD-3-Clause
// Segments of an array: consecutive ranges of its elements, the units of all sums. The elements of a segment are added
// by eight accumulators in a fixed order, on every thread, rank and device; the sums of segments are added exactly
// (kernels/vectors/exact_sums.hpp), so that their order does not matter:
//
//     | 0 1 2 3 4 5 6 7 | 8 9 10 11 12 13 14 15 | 16 ...      element e of a segment is added to accumulator e % 8;
//       accumulators a0 ... a7                                then a0 += a4 ... a3 += a7, a0 += a2, a1 += a3, a0 += a1
#pragma once

#include <cstdint>

#include "strata/backend.hpp"

namespace strata::vectors {

/// Numbers of a vector: reals, or pairs of reals (re, im).
enum class Arithmetic { real, complex };

/// Reals of a number.
constexpr std::uint64_t reals_of(Arithmetic arithmetic) { return arithmetic == Arithmetic::real ? 1 : 2; }

/// Number of accumulators of the sum over a segment.
inline constexpr unsigned accumulators = 8;

/// Ranges of the reals of an array that follow each other from real 0 on.
struct Segments {
    std::uint64_t count = 0, reals = 0;     ///< number of segments, and of all their reals
    std::uint64_t length = 0;               ///< reals of each segment, if `begins` is null
    const std::uint64_t* begins = nullptr;  ///< [count + 1] first real of each segment, in memory of the backend

    STRATA_HOST_DEVICE std::uint64_t begin(std::uint64_t segment) const {
        return begins == nullptr ? segment * length : begins[segment];
    }
    /// Segments of equal length.
    static Segments equal(std::uint64_t count, std::uint64_t length) {
        return {count, count * length, length, nullptr};
    }
};

/// a b and sum + a b with every operation rounded: device compilers fuse the two by default.
template <class Real>
STRATA_HOST_DEVICE Real rounded_product(Real a, Real b) {
#if defined(__CUDA_ARCH__)
    if constexpr (sizeof(Real) == sizeof(double)) return __dmul_rn(a, b);
    if constexpr (sizeof(Real) == sizeof(float)) return __fmul_rn(a, b);
#endif
    return a * b;
}
template <class Real>
STRATA_HOST_DEVICE Real add_product(Real sum, Real a, Real b) {
    return sum + rounded_product(a, b);  // nothing fuses with a product that was rounded
}

}  // namespace strata::vectors
