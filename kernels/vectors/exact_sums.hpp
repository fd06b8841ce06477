// SPDX-License-Identifier: BSD-3-Clause
// Exact sums over segments, in any order: `width` sums i of the numbers values[segment * width + i].
#pragma once

#include <cstdint>

#include "kernels/vectors/vector_kernels.hpp"
#include "strata/exact_sum.hpp"

namespace strata::vectors {

void exact_sums(const Workers<Cpu>&, const double* values, std::uint64_t segments, std::uint64_t width, ExactSum* sums);
void exact_sums(const Workers<Cuda>&, const double* values, std::uint64_t segments, std::uint64_t width,
                ExactSum* sums);

}  // namespace strata::vectors
