// SPDX-License-Identifier: BSD-3-Clause
// Kernels of the tests that multiply small matrices on tensor cores.
#pragma once

#include "strata/buffer.hpp"
#include "strata/queue.hpp"

namespace strata {

/// For matrices m = 0 and 1, row by row: sums[m] (16 x 8) += left[m] (16 x 4) right[m] (4 x 8); the lower half only if
/// `both`. `has_tensor_cores` is set to 0 on a device without them, and nothing is added.
void tensor_multiply(const Queue<Cuda>& queue, View<const double, Cuda> left, View<const double, Cuda> right, bool both,
                     View<double, Cuda> sums, View<int, Cuda> has_tensor_cores);

}  // namespace strata
