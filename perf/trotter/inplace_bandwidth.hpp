// SPDX-License-Identifier: BSD-3-Clause
// Bandwidth of in-place updates of memory, the limit of codes that pass over a single vector. Unlike a copy, an update
// reads each line once and needs no second one.
#pragma once

#include <algorithm>
#include <cstddef>

#include "strata/buffer.hpp"
#include "strata/timer.hpp"

namespace strata::perf {

/// An array that is scaled in place and is large compared with the caches.
class InplaceScale {
  public:
    explicit InplaceScale(int threads, std::size_t bytes = std::size_t{1} << 29)
        : threads_(threads), numbers_(bytes / sizeof(double)) {
        double* numbers = numbers_.data();
#pragma omp parallel for schedule(static) num_threads(threads_)
        for (std::size_t i = 0; i < numbers_.size(); ++i) numbers[i] = 1;
    }
    /// Bytes per second, read and written, of one pass.
    double bandwidth() {
        double* numbers = numbers_.data();
        const double start = monotonic_seconds();
#pragma omp parallel for simd schedule(static) num_threads(threads_)
        for (std::size_t i = 0; i < numbers_.size(); ++i) numbers[i] *= 1.0000001;
        return 2 * static_cast<double>(numbers_.bytes()) / (monotonic_seconds() - start);
    }

  private:
    int threads_;
    Buffer<double> numbers_;
};

}  // namespace strata::perf
