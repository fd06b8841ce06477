// SPDX-License-Identifier: BSD-3-Clause
// The back ends, and their trial. A plan stores the function of libxsmm, since looking it up takes longer than a small
// product. The BLAS is limited to one thread, since it is called from several threads.
#include "gemm_library.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "kernels/instruction_sets.hpp"
#include "kernels/kronecker/block_product.hpp"
#include "strata/buffer.hpp"
#include "strata/timer.hpp"
#if defined(STRATA_LIBXSMM)
#include <libxsmm.h>
#endif

namespace strata::perf {
namespace {

void call_own(const Gemm& gemm, const double* a, const double* b, double* c) {
    kronecker::block_variants<double>().front().gemm(gemm.shape, a, b, c);
}

#if defined(STRATA_LIBXSMM)
constexpr bool has_libxsmm = true;

void call_libxsmm(const Gemm& gemm, const double* a, const double* b, double* c) {
    reinterpret_cast<libxsmm_dmmfunction>(gemm.kernel)(a, b, c);
}

Gemm plan_libxsmm(const GemmShape& s) {
    const auto m = libxsmm_blasint(s.m), n = libxsmm_blasint(s.n), k = libxsmm_blasint(s.k);
    const auto lda = libxsmm_blasint(s.lda), ldb = libxsmm_blasint(s.ldb), ldc = libxsmm_blasint(s.ldc);
    const double alpha = 1, beta = s.update == GemmUpdate::add ? 1 : 0;
    const int flags = LIBXSMM_GEMM_FLAG_NONE, prefetch = LIBXSMM_GEMM_PREFETCH_NONE;
    const auto function = libxsmm_dmmdispatch(m, n, k, &lda, &ldb, &ldc, &alpha, &beta, &flags, &prefetch);
    if (function == nullptr) return {s};
    return {s, call_libxsmm, reinterpret_cast<void (*)()>(function)};
}

std::string describe_libxsmm() {
    return std::string("libxsmm ") + LIBXSMM_VERSION + " with code for " + libxsmm_get_target_arch();
}
#else
constexpr bool has_libxsmm = false;
Gemm plan_libxsmm(const GemmShape& shape) { return {shape}; }
std::string describe_libxsmm() { return "no libxsmm"; }
#endif

using BlasGemm = void(const char*, const char*, const int*, const int*, const int*, const double*, const double*,
                      const int*, const double*, const int*, const double*, double*, const int*);

struct Blas {
    BlasGemm* gemm = nullptr;
    std::string name, core;  ///< core: processor whose code OpenBLAS runs; empty for other libraries

    Blas() {
        setenv("OPENBLAS_NUM_THREADS", "1", 0);
        void* library = nullptr;
        for (const char* file : {"libopenblas.so.0", "libblas.so.3"})
            if (library == nullptr) library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
        if (library == nullptr) return;
        gemm = reinterpret_cast<BlasGemm*>(dlsym(library, "dgemm_"));
        name = "BLAS of the system";
        const auto config = reinterpret_cast<char* (*)()>(dlsym(library, "openblas_get_config"));
        const auto corename = reinterpret_cast<char* (*)()>(dlsym(library, "openblas_get_corename"));
        const auto threads = reinterpret_cast<void (*)(int)>(dlsym(library, "openblas_set_num_threads"));
        if (config == nullptr || corename == nullptr) return;
        const std::string text = config();
        name = text.substr(0, text.find(' ', text.find(' ') + 1));
        core = corename();
        if (threads != nullptr) threads(1);
    }
};

const Blas& blas() {
    static const Blas loaded;
    return loaded;
}

void call_blas(const Gemm& gemm, const double* a, const double* b, double* c) {
    const GemmShape& s = gemm.shape;
    const int m = int(s.m), n = int(s.n), k = int(s.k), lda = int(s.lda), ldb = int(s.ldb), ldc = int(s.ldc);
    const double alpha = 1, beta = s.update == GemmUpdate::add ? 1 : 0;
    blas().gemm("N", "N", &m, &n, &k, &alpha, a, &lda, b, &ldb, &beta, c, &ldc);
}

/// GFLOP/s of products of one shape, repeated for about `seconds` of processor time of this thread, with which back ends
/// are compared, since other programs may use the machine.
double rate(GemmBackend backend, const GemmShape& shape, double seconds) {
    Buffer<double> a(shape.lda * shape.k), b(shape.ldb * shape.n), c(shape.ldc * shape.n);
    for (Buffer<double>* matrix : {&a, &b, &c}) std::fill(matrix->begin(), matrix->end(), 0.01);
    const Gemm gemm = plan_gemm(backend, shape);
    gemm(a.data(), b.data(), c.data());
    const double start = processor_seconds(ClockOf::thread);
    int calls = 0;
    double elapsed = 0;
    do {
        gemm(a.data(), b.data(), c.data());
        ++calls;
        elapsed = processor_seconds(ClockOf::thread) - start;
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
        if (has_libxsmm) usable.push_back(GemmBackend::libxsmm);
        if (blas().gemm != nullptr) usable.push_back(GemmBackend::blas);
        return usable;
    }();
    return backends;
}

Gemm plan_gemm(GemmBackend backend, const GemmShape& shape) {
    Gemm gemm = backend == GemmBackend::libxsmm ? plan_libxsmm(shape) : Gemm{shape};
    if (gemm.call == nullptr) gemm.call = backend == GemmBackend::own || blas().gemm == nullptr ? call_own : call_blas;
    return gemm;
}

std::string describe(GemmBackend backend) {
    switch (backend) {
        case GemmBackend::own: return "own kernel";
        case GemmBackend::libxsmm: return describe_libxsmm();
        default: return blas().core.empty() ? blas().name : blas().name + " with code for " + blas().core;
    }
}

std::string blas_warning() {
    if (blas().gemm == nullptr) return "";
    const std::string& core = blas().core;
    if (core.empty())
        return "The BLAS of the system is not OpenBLAS and may be the slow reference; libopenblas0-pthread is the "
               "Debian package of a fast one.";
    const bool wide = usable_instruction_sets().front() == instruction_set::avx512::name;
    const bool wide_code = core == "SkylakeX" || core == "Cooperlake" || core == "Sapphirerapids" ||
                           core == "SAPPHIRERAPIDS" || core == "COOPERLAKE" || core == "SKYLAKEX";
    if (!wide || wide_code) return "";
    return "OpenBLAS runs code for " + core +
           " although this processor has AVX-512: try OPENBLAS_CORETYPE=SkylakeX in the environment.";
}

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
        for (const GemmShape& shape : shapes) logarithms += std::log(rate(backend, shape, seconds));
        trials.push_back({backend, std::exp(logarithms / static_cast<double>(std::size(shapes)))});
    }
    std::ranges::stable_sort(trials, std::ranges::greater(), &GemmTrial::gflops);
    return trials;
}

}  // namespace strata::perf
