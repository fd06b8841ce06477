// SPDX-License-Identifier: BSD-3-Clause
// Matrix product C (m x n) = A (m x k) B (k x n), or C += A B, column-major.
#pragma once

#include <cstdint>

namespace strata::kronecker {

/// Whether C is set or increased.
enum class GemmUpdate { set, add };

struct GemmShape {
    std::uint64_t m = 0, n = 0, k = 0;
    std::uint64_t lda = 0, ldb = 0, ldc = 0;  ///< reals from column to column
    GemmUpdate update = GemmUpdate::set;

    constexpr double flops() const {
        return 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
    }
};

}  // namespace strata::kronecker
