// SPDX-License-Identifier: BSD-3-Clause
// The naive baseline of the Trotter benchmarks: every rotation of one spin and every product with stored phases is a
// pass over the whole state, 8N + 6 passes (literal) or 4N + 4 (merged) per step, without use of caches.
#pragma once

#include "splitting.hpp"

namespace strata::perf {

/// Executes the operations of one step in place on `threads` threads of OpenMP; at least 2 spins.
void naive_step(const Splitting& splitting, View<Amplitude> state, int threads);

}  // namespace strata::perf
