// SPDX-License-Identifier: BSD-3-Clause
// All threads read one array far larger than the caches; the result is the best of five repetitions. An array that is
// allocated for the measurement is first written by the threads that read it, so that its pages are local to them.
#include "kernels/bandwidth.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>

#include "strata/buffer.hpp"
#include "strata/timer.hpp"

namespace strata {

double read_bandwidth(int threads, std::span<const double> memory) {
    const double* words = memory.data();
    double best = 1e9;
    std::uint64_t total = 0;
    for (int repeat = 0; repeat < 5; ++repeat) {
        const double start = monotonic_seconds();
        std::uint64_t sum = 0;
#pragma omp parallel for simd schedule(static) num_threads(threads) reduction(+ : sum)
        for (std::size_t i = 0; i < memory.size(); ++i) sum += std::bit_cast<std::uint64_t>(words[i]);
        best = std::min(best, monotonic_seconds() - start);
        total += sum;
    }
    return total == 0 ? 0 : static_cast<double>(memory.size_bytes()) / best;
}

double read_bandwidth(int threads, std::size_t bytes) {
    Buffer<double> memory(bytes / sizeof(double));
#pragma omp parallel for schedule(static) num_threads(threads)
    for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<double>(i);
    return read_bandwidth(threads, std::span<const double>(memory.data(), memory.size()));
}

}  // namespace strata
