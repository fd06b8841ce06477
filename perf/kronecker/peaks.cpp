// SPDX-License-Identifier: BSD-3-Clause
// Measurement of peak rates over about 5 ms, short enough to represent the moment at which the neighbouring products
// are timed.
#include "peaks.hpp"

#include <algorithm>
#include <vector>

#include "strata/buffer.hpp"
#include "strata/timer.hpp"

namespace strata::perf {

double seconds_now(int threads) { return threads > 1 ? monotonic_seconds() : processor_seconds(ClockOf::thread); }

namespace {

#if defined(__AVX512F__)
constexpr int register_bytes = 64;
#elif defined(__AVX__)
constexpr int register_bytes = 32;
#else
constexpr int register_bytes = 16;
#endif
typedef double Vector __attribute__((vector_size(register_bytes)));
constexpr int lanes = register_bytes / 8, chains = 12;

/// Seconds of `steps` fused multiply-adds in each of 12 chains.
double fma_seconds(long steps, int threads) {
    Vector sum[chains];
    for (int j = 0; j < chains; ++j) sum[j] = Vector{} + j;  // different values, because equal chains would be merged
    Vector a = Vector{} + 0.999, b = Vector{} + 1e-3;
    const double start = seconds_now(threads);
    for (long i = 0; i < steps; ++i) {
        __asm__ volatile("" : "+x"(a), "+x"(b));
#pragma GCC unroll 12
        for (int j = 0; j < chains; ++j) sum[j] = sum[j] * a + b;
    }
    const double seconds = seconds_now(threads) - start;
    for (Vector& value : sum) __asm__ volatile("" : "+x"(value));
    return seconds;
}

/// Sum of the rates of all threads, in GFLOP/s.
template <class Rate>
double total_rate(int threads, Rate rate) {
    double total = 0;
#pragma omp parallel num_threads(threads) reduction(+ : total)
    total += rate();
    return total * 1e-9;
}

}  // namespace

double fma_peak(int threads) {
    constexpr long steps = 1'500'000;
    return total_rate(threads, [=] { return 2.0 * lanes * chains * steps / fma_seconds(steps, threads); });
}

double gemm_peak(GemmBackend backend, int threads) {
    constexpr std::uint64_t n = 128;
    const auto gemm = plan_gemm(backend, {n, n, n, n, n, n, GemmUpdate::add});
    return total_rate(threads, [&] {
        Buffer<double> a(n * n), b(n * n), c(n * n);
        for (Buffer<double>* matrix : {&a, &b, &c}) std::fill(matrix->begin(), matrix->end(), 0.01);
        gemm(a.data(), b.data(), c.data());
        constexpr int calls = 60;
        const double start = seconds_now(threads);
        for (int i = 0; i < calls; ++i) gemm(a.data(), b.data(), c.data());
        return calls * gemm.shape.flops() / (seconds_now(threads) - start);
    });
}

}  // namespace strata::perf
