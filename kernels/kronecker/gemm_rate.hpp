// SPDX-License-Identifier: BSD-3-Clause
// Rate of matrix products that stay in the caches, the reference for rates of multiplies.
#pragma once

namespace strata::kronecker {

/// GFLOP/s of products of 128 x 128 doubles by the plain kernel (block_product.hpp), on all threads at once for about
/// 50 ms.
double gemm_rate(int threads);

}  // namespace strata::kronecker
