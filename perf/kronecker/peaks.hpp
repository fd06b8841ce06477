// SPDX-License-Identifier: BSD-3-Clause
// Peak rates in GFLOP/s of doubles, measured on all `threads` threads at once.
#pragma once

#include "gemm_library.hpp"

namespace strata::perf {

/// Seconds since an arbitrary start: processor time for one thread, because a shared machine gives it less than all of
/// a core, and wall time for several threads.
double seconds_now(int threads);

/// Peak rate of fused multiply-adds in registers, without loads.
double fma_peak(int threads);

/// Rate of products of 128 x 128 matrices in the caches, by a library.
double gemm_peak(GemmBackend backend, int threads);

}  // namespace strata::perf
