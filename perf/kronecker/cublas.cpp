// SPDX-License-Identifier: BSD-3-Clause
// Loading of the library, and its rate: products are timed by events of their queue.
#include "cublas.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <type_traits>

#include "strata/error.hpp"

namespace strata::perf {
namespace {

[[noreturn]] void refuse(const std::string& why) {
    throw Error(ExitCode::bad_input, "cuBLAS cannot be used: " + why + ".");
}

std::string list(const std::vector<std::string>& files) {
    std::string text;
    for (const std::string& file : files) text += (text.empty() ? "" : " nor ") + file;
    return text;
}

template <class Real>
using Gemm = int(void*, int, int, int, int, int, const Real*, const Real*, int, const Real*, int, const Real*, Real*,
                 int);

}  // namespace

CublasLibrary::CublasLibrary(const Queue<Cuda>& queue, const std::vector<std::string>& files) {
    for (const std::string& file : files)
        if (library_ == nullptr) library_ = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library_ == nullptr)
        refuse("neither " + list(files) +
               " can be loaded; install cuBLAS 12.5 or newer, or add its folder to LD_LIBRARY_PATH");
    if (symbol("cublasDgemmGroupedBatched_64") == nullptr)
        refuse("the library of this machine has no grouped products; install 12.5 or newer");
    const auto create = function<int(void**)>("cublasCreate_v2");
    const auto set_stream = function<int(void*, void*)>("cublasSetStream_v2");
    if (create == nullptr || set_stream == nullptr || create(&handle_) != 0 || set_stream(handle_, queue.raw()) != 0)
        refuse("it fails on this device");
}

CublasLibrary::~CublasLibrary() {
    const auto destroy = function<int(void*)>("cublasDestroy_v2");
    if (handle_ != nullptr && destroy != nullptr) destroy(handle_);
}

void* CublasLibrary::symbol(const char* name) const { return dlsym(library_, name); }

template <class Real>
double cublas_rate(const CublasLibrary& library, const Queue<Cuda>& queue, int n) {
    const auto gemm = library.function<Gemm<Real>>(std::is_same_v<Real, double> ? "cublasDgemm_v2" : "cublasSgemm_v2");
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

template double cublas_rate<double>(const CublasLibrary&, const Queue<Cuda>&, int);
template double cublas_rate<float>(const CublasLibrary&, const Queue<Cuda>&, int);

}  // namespace strata::perf
