// SPDX-License-Identifier: BSD-3-Clause
// One array far larger than the caches is summed by all threads, after each has touched its own part first; the best of
// five passes counts.
#include "kernels/bandwidth.hpp"

#include <algorithm>
#include <cstdint>

#include "strata/buffer.hpp"
#include "strata/timer.hpp"

namespace strata {

double read_bandwidth(int threads, std::size_t bytes) {
    const std::size_t words = bytes / sizeof(std::uint64_t);
    Buffer<std::uint64_t> memory(words);
    std::uint64_t total = 0;
#pragma omp parallel for schedule(static) num_threads(threads)
    for (std::size_t i = 0; i < words; ++i) memory[i] = i;
    const std::uint64_t* words_begin = memory.data();
    double best = 1e9;
    for (int repeat = 0; repeat < 5; ++repeat) {
        const double start = monotonic_seconds();
        std::uint64_t sum = 0;
#pragma omp parallel for simd schedule(static) num_threads(threads) reduction(+ : sum)
        for (std::size_t i = 0; i < words; ++i) sum += words_begin[i];
        best = std::min(best, monotonic_seconds() - start);
        total += sum;
    }
    return total == 0 ? 0 : static_cast<double>(memory.bytes()) / best;
}

}  // namespace strata
