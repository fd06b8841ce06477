// SPDX-License-Identifier: BSD-3-Clause
// Every thread repeats one product for the same time.
#include "kernels/kronecker/gemm_rate.hpp"

#include <algorithm>

#include "kernels/kronecker/block_product.hpp"
#include "strata/buffer.hpp"
#include "strata/timer.hpp"

namespace strata::kronecker {

double gemm_rate(int threads) {
    constexpr std::uint64_t n = 128;
    constexpr GemmShape shape = {n, n, n, n, n, n, GemmUpdate::add};
    constexpr double seconds = 0.05;
    const auto gemm = block_variants<double>().front().gemm;
    double total = 0;
#pragma omp parallel num_threads(threads) reduction(+ : total)
    {
        Buffer<double> a(n * n), b(n * n), c(n * n);
        for (Buffer<double>* matrix : {&a, &b, &c}) std::fill(matrix->begin(), matrix->end(), 0.01);
        gemm(shape, a.data(), b.data(), c.data());
        const double start = monotonic_seconds();
        double elapsed = 0;
        int calls = 0;
        for (; elapsed < seconds; ++calls) {
            gemm(shape, a.data(), b.data(), c.data());
            elapsed = monotonic_seconds() - start;
        }
        total += 1e-9 * calls * shape.flops() / elapsed;
    }
    return total;
}

}  // namespace strata::kronecker
