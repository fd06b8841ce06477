// SPDX-License-Identifier: BSD-3-Clause
// Rate of cuBLAS. The called function is declared here (cublas_api.h), so that the header of the toolkit is not needed.
#include "cublas.hpp"

#include <algorithm>

#include "kernels/kronecker/cublas_library.hpp"
#include "strata/error.hpp"

namespace strata::perf {
namespace {

template <class Real>
using Gemm = int(void*, int, int, int, int, int, const Real*, const Real*, int, const Real*, int, const Real*, Real*,
                 int);

/// Shortest time of several products, each timed by events of its queue.
template <class Real>
double best_rate(const kronecker::CublasLibrary& library, const Queue<Cuda>& queue, const char* name, int n) {
    const auto gemm = library.function<Gemm<Real>>(name);
    if (gemm == nullptr) return 0;
    const std::size_t size = static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
    Buffer<Real, Cuda> a(size), b(size), c(size);
    for (Buffer<Real, Cuda>* x : {&a, &b, &c}) fill_bytes(queue, x->view(), 0x3c);  // small numbers
    const Real one = 1, zero = 0;
    double best = 0;
    for (int i = 0; i < 5; ++i) {
        Event start, end;
        start.set(queue);
        if (gemm(library.handle(), 0, 0, n, n, n, &one, a.data(), n, b.data(), n, &zero, c.data(), n) != 0) return 0;
        end.set(queue);
        end.wait();
        best = std::max(best, 2.0 * n * n * n / end.seconds_since(start));
    }
    return best;
}

}  // namespace

double cublas_rate(std::size_t real_bytes, int n) {
    const Queue<Cuda> queue;
    try {
        const kronecker::CublasLibrary library(queue);
        return real_bytes == sizeof(double) ? best_rate<double>(library, queue, "cublasDgemm_v2", n)
                                            : best_rate<float>(library, queue, "cublasSgemm_v2", n);
    } catch (const Error&) {
        return 0;
    }
}

}  // namespace strata::perf
