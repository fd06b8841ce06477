// SPDX-License-Identifier: BSD-3-Clause
// What a core can do at most, in GFLOP/s of doubles, measured on all `threads` at once.
#pragma once

#include "kernels/kronecker/gemm_library.hpp"

namespace strata::perf {

/// Seconds since an arbitrary start: of one thread those that it ran, since a shared machine gives it less than all,
/// and of several the time that passes.
double seconds_now(int threads);

/// Fused multiply-adds in registers, without any load.
double fma_peak(int threads);

/// Products of 128 x 128 matrices that stay in the caches, by a library.
double gemm_peak(kronecker::GemmBackend backend, int threads);

}  // namespace strata::perf
