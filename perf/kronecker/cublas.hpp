// SPDX-License-Identifier: BSD-3-Clause
// Rate of matrix products by cuBLAS on the current device, as a reference. The library is loaded on demand, so that
// nothing depends on it.
#pragma once

#include <cstddef>

namespace strata::perf {

/// Operations per second of square products of order n, in double precision, or in single precision if `real_bytes` is
/// 4; 0 if cuBLAS is missing or fails.
double cublas_rate(std::size_t real_bytes, int n);

}  // namespace strata::perf
