// SPDX-License-Identifier: BSD-3-Clause
// Loops over threads for set-up, packing and copies outside of kernels: one place states how they are distributed.
#pragma once

#include <omp.h>

#include "strata/partition.hpp"

namespace strata {

/// Calls body(i) for all i of a range, distributed over threads in equal contiguous parts, so that a thread finds the
/// memory that it wrote before.
template <class Body>
void for_each_parallel(const Range& range, Body body, int threads = omp_get_max_threads()) {
#pragma omp parallel for schedule(static) num_threads(threads)
    for (std::uint64_t i = range.first; i < range.last; ++i) body(i);
}

}  // namespace strata
