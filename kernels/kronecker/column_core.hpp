// SPDX-License-Identifier: BSD-3-Clause
// Arithmetic of vectors that host and device share, so that both give the same bits: random numbers by global index,
// and sums over a column of a patch. A column is the unit of all sums: its elements are distributed cyclically over
// eight accumulators, which are added in a fixed order on every rank, thread and device (kronecker/column_sums.hpp).
#pragma once

#include <cstdint>

#include "strata/backend.hpp"
#include "strata/random_purpose.hpp"
#include "strata/rng.hpp"

namespace strata::kronecker {

/// Number of accumulators of a sum over a column; accumulator i sums the elements i, i + 8, i + 16, ...
inline constexpr unsigned column_lanes = 8;

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

/// Sum of term(e) over e < size in doubles.
template <class Term>
double column_sum(std::uint64_t size, Term term) {
    double sums[column_lanes] = {};
    std::uint64_t e = 0;
    for (; e + column_lanes <= size; e += column_lanes)
        for (unsigned lane = 0; lane < column_lanes; ++lane) sums[lane] += term(e + lane);
    for (unsigned lane = 0; e + lane < size; ++lane) sums[lane] += term(e + lane);
    for (unsigned distance = column_lanes / 2; distance != 0; distance /= 2)
        for (unsigned lane = 0; lane < distance; ++lane) sums[lane] += sums[lane + distance];
    return sums[0];
}

/// Random number in [-1, 1) for element `element` of the whole vector.
STRATA_HOST_DEVICE inline double random_element(std::uint64_t seed, std::uint64_t element, std::uint64_t stream) {
    constexpr auto purpose = static_cast<std::uint32_t>(RandomPurpose::kronecker_vector);
    const Philox4x32 words =
        philox(seed, {static_cast<std::uint32_t>(element), static_cast<std::uint32_t>(element >> 32),
                      static_cast<std::uint32_t>(stream), purpose});
    const std::uint64_t bits = std::uint64_t{words[1]} << 32 | words[0];
    return static_cast<double>(bits >> 11) * 0x1p-52 - 1;
}

}  // namespace strata::kronecker
