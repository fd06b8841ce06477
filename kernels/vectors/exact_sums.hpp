// SPDX-License-Identifier: BSD-3-Clause
// Exact sums over segments: `width` sums i of the numbers values[segment * width + i]. The numbers are multiplied by a
// power of two that brings the largest one near the limit of fixed-point numbers, and added as integers, in any order.
#pragma once

#include <cstdint>

#include "kernels/vectors/vector_kernels.hpp"
#include "strata/fixed_point_sum.hpp"

namespace strata::vectors {

/// largest[i] := largest finite magnitude of the addends of sum i.
void largest(const Workers<Cpu>&, const double* values, std::uint64_t segments, std::uint64_t width, double* largest);
void largest(const Workers<Cuda>&, const double* values, std::uint64_t segments, std::uint64_t width, double* largest);

/// sums[i] := sum of the addends times `factor`.
void exact_sums(const Workers<Cpu>&, const double* values, std::uint64_t segments, std::uint64_t width, double factor,
                FixedPointSum* sums);
void exact_sums(const Workers<Cuda>&, const double* values, std::uint64_t segments, std::uint64_t width, double factor,
                FixedPointSum* sums);

}  // namespace strata::vectors
