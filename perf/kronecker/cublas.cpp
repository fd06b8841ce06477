// SPDX-License-Identifier: BSD-3-Clause
// Declares the five functions that it calls itself (cuBLAS 11 to 13, cublas_api.h): the toolkit's header is not needed.
#include "cublas.hpp"

#include <dlfcn.h>

#include <algorithm>

#include "strata/queue.hpp"

namespace strata::perf {
namespace {

using Handle = void*;
template <class Real>
using Gemm = int (*)(Handle, int, int, int, int, int, const Real*, const Real*, int, const Real*, int, const Real*,
                     Real*, int);

void* open_library() {
    for (const char* name : {"libcublas.so.13", "libcublas.so.12", "libcublas.so.11", "libcublas.so"})
        if (void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL)) return library;
    return nullptr;
}

/// Best of some products, each timed by events of its queue.
template <class Real>
double best_rate(void* library, Handle handle, const Queue<Cuda>& queue, const char* name, int n) {
    const auto gemm = reinterpret_cast<Gemm<Real>>(dlsym(library, name));
    if (gemm == nullptr) return 0;
    const std::size_t size = static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
    Buffer<Real, Cuda> a(size), b(size), c(size);
    for (Buffer<Real, Cuda>* x : {&a, &b, &c}) fill_bytes(queue, x->view(), 0x3c);  // small numbers
    const Real one = 1, zero = 0;
    double best = 0;
    for (int i = 0; i < 5; ++i) {
        Event start, end;
        start.set(queue);
        if (gemm(handle, 0, 0, n, n, n, &one, a.data(), n, b.data(), n, &zero, c.data(), n) != 0) return 0;
        end.set(queue);
        end.wait();
        best = std::max(best, 2.0 * n * n * n / end.seconds_since(start));
    }
    return best;
}

}  // namespace

double cublas_rate(std::size_t real_bytes, int n) {
    void* library = open_library();
    if (library == nullptr) return 0;
    const auto create = reinterpret_cast<int (*)(Handle*)>(dlsym(library, "cublasCreate_v2"));
    const auto destroy = reinterpret_cast<int (*)(Handle)>(dlsym(library, "cublasDestroy_v2"));
    const auto set_stream = reinterpret_cast<int (*)(Handle, void*)>(dlsym(library, "cublasSetStream_v2"));
    Handle handle = nullptr;
    if (create == nullptr || destroy == nullptr || set_stream == nullptr || create(&handle) != 0) return 0;
    double rate = 0;
    {
        const Queue<Cuda> queue;
        if (set_stream(handle, queue.raw()) == 0)
            rate = real_bytes == sizeof(double) ? best_rate<double>(library, handle, queue, "cublasDgemm_v2", n)
                                                : best_rate<float>(library, handle, queue, "cublasSgemm_v2", n);
        queue.wait();
    }
    destroy(handle);
    return rate;
}

}  // namespace strata::perf
