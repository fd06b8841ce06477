// SPDX-License-Identifier: BSD-3-Clause
// Matrix product C (m x n) = A (m x k) B (k x n), or C += A B, column-major, and the code of a back end for it.
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

/// Product of one shape; the library's code for it is looked up when it is planned.
template <class Real>
struct Gemm {
    GemmShape shape;
    void (*call)(const Gemm&, const Real* a, const Real* b, Real* c) = nullptr;
    void (*kernel)() = nullptr;  ///< code that a library has generated for the shape

    void operator()(const Real* a, const Real* b, Real* c) const { call(*this, a, b, c); }
};

}  // namespace strata::kronecker
