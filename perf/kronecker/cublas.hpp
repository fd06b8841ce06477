// SPDX-License-Identifier: BSD-3-Clause
// The rate of matrix products by cuBLAS on the device in use, to be compared with. The library is loaded when it is asked
// for, so that nothing depends on it.
#pragma once

#include <cstddef>

namespace strata::perf {

/// Operations per second of square products of order n in double precision, or single where `real_bytes` is 4; 0 if there
/// is no cuBLAS or it does not work.
double cublas_rate(std::size_t real_bytes, int n);

}  // namespace strata::perf
