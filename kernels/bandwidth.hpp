// SPDX-License-Identifier: BSD-3-Clause
// Memory bandwidth of this machine, the limit that kernels are compared with.
#pragma once

#include <cstddef>
#include <span>

namespace strata {

/// Best of five measured rates at which `threads` threads read `memory`, in bytes per second; `memory` should exceed
/// the caches.
double read_bandwidth(int threads, std::span<const double> memory);
/// As above with an array of `bytes` bytes that is allocated for the measurement.
double read_bandwidth(int threads, std::size_t bytes = std::size_t{1} << 30);

}  // namespace strata
