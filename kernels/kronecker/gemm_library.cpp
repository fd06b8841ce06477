// SPDX-License-Identifier: BSD-3-Clause
// Choice of a back end for matrix products, and the trial on which it is based.
#include "kernels/kronecker/gemm_library.hpp"

#include <algorithm>
#include <cmath>

#include "kernels/kronecker/block_product.hpp"
#include "kernels/kronecker/gemm_backends.hpp"
#include "strata/buffer.hpp"
#include "strata/timer.hpp"

namespace strata::kronecker {
namespace {

template <class Real>
void call_own(const Gemm<Real>& gemm, const Real* a, const Real* b, Real* c) {
    block_variants<Real>().front().gemm(gemm.shape, a, b, c);
}

/// Processor time of this thread in seconds, with which back ends are compared, since other programs may use the
/// machine.
double thread_seconds() { return processor_seconds(ClockOf::thread); }

/// GFLOP/s of products of one shape, repeated for about `seconds` of a clock.
template <class Real>
double rate(GemmBackend backend, const GemmShape& shape, double seconds, double (*clock)()) {
    Buffer<Real> a(shape.lda * shape.k), b(shape.ldb * shape.n), c(shape.ldc * shape.n);
    for (Buffer<Real>* matrix : {&a, &b, &c}) std::fill(matrix->begin(), matrix->end(), Real(0.01));
    const Gemm<Real> gemm = plan_gemm<Real>(backend, shape);
    gemm(a.data(), b.data(), c.data());
    const double start = clock();
    int calls = 0;
    double elapsed = 0;
    do {
        gemm(a.data(), b.data(), c.data());
        ++calls;
        elapsed = clock() - start;
    } while (elapsed < seconds);
    return calls * shape.flops() / elapsed * 1e-9;
}

}  // namespace

std::string_view name_of(GemmBackend backend) {
    switch (backend) {
        case GemmBackend::own: return "own";
        case GemmBackend::libxsmm: return "libxsmm";
        default: return "blas";
    }
}

const std::vector<GemmBackend>& usable_gemm_backends() {
    static const std::vector<GemmBackend> backends = [] {
        std::vector<GemmBackend> usable = {GemmBackend::own};
        if (has_libxsmm()) usable.push_back(GemmBackend::libxsmm);
        if (has_blas()) usable.push_back(GemmBackend::blas);
        return usable;
    }();
    return backends;
}

template <class Real>
Gemm<Real> plan_gemm(GemmBackend backend, const GemmShape& shape) {
    Gemm<Real> gemm = backend == GemmBackend::libxsmm ? plan_libxsmm<Real>(shape) : Gemm<Real>{shape};
    if (gemm.call == nullptr && backend != GemmBackend::own) gemm = plan_blas<Real>(shape);
    if (gemm.call == nullptr) gemm.call = call_own<Real>;
    return gemm;
}
template Gemm<double> plan_gemm<double>(GemmBackend, const GemmShape&);
template Gemm<float> plan_gemm<float>(GemmBackend, const GemmShape&);

std::string describe(GemmBackend backend) {
    switch (backend) {
        case GemmBackend::own: return "own kernel";
        case GemmBackend::libxsmm: return describe_libxsmm();
        default: return describe_blas();
    }
}

template <class Real>
std::vector<GemmTrial> try_gemm_backends() {
    // V = X A^T and Y += B V of a medium and of a large block of 64 sites
    constexpr GemmShape shapes[] = {{20, 320, 80, 20, 80, 20, GemmUpdate::set},
                                    {20, 40, 160, 20, 160, 20, GemmUpdate::add},
                                    {39, 640, 150, 39, 150, 39, GemmUpdate::set},
                                    {39, 80, 312, 39, 312, 39, GemmUpdate::add}};
    std::vector<GemmTrial> trials;
    const double seconds = 0.05 / static_cast<double>(std::size(shapes) * usable_gemm_backends().size());
    for (const GemmBackend backend : usable_gemm_backends()) {
        double logarithms = 0;
        for (const GemmShape& shape : shapes)
            logarithms += std::log(rate<Real>(backend, shape, seconds, thread_seconds));
        trials.push_back({backend, std::exp(logarithms / static_cast<double>(std::size(shapes)))});
    }
    std::ranges::stable_sort(trials, std::ranges::greater(), &GemmTrial::gflops);
    return trials;
}
template std::vector<GemmTrial> try_gemm_backends<double>();
template std::vector<GemmTrial> try_gemm_backends<float>();

double gemm_rate(GemmBackend backend, int threads) {
    constexpr std::uint64_t n = 128;
    double total = 0;
#pragma omp parallel num_threads(threads) reduction(+ : total)
    total += rate<double>(backend, {n, n, n, n, n, n, GemmUpdate::add}, 0.05, monotonic_seconds);
    return total;
}

}  // namespace strata::kronecker
