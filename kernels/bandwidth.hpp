// SPDX-License-Identifier: BSD-3-Clause
// How fast this machine reads its memory: the limit that kernels are held against.
#pragma once

#include <cstddef>
#include <span>

namespace strata {

/// Best rate of five at which `threads` threads read `memory`, which should be more than caches hold, in bytes per
/// second.
double read_bandwidth(int threads, std::span<const double> memory);
/// The same with `bytes` that are allocated for it.
double read_bandwidth(int threads, std::size_t bytes = std::size_t{1} << 30);

}  // namespace strata
