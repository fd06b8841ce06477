// SPDX-License-Identifier: BSD-3-Clause
// BLAS of the system, loaded on first use and limited to one thread, since it is called from several threads.
#include <dlfcn.h>

#include <cctype>
#include <cstdlib>
#include <type_traits>

#include "kernels/instruction_sets.hpp"
#include "kernels/kronecker/gemm_backends.hpp"

namespace strata::kronecker {
namespace {

template <class Real>
using BlasGemm = void(const char*, const char*, const int*, const int*, const int*, const Real*, const Real*,
                      const int*, const Real*, const int*, const Real*, Real*, const int*);

struct Blas {
    BlasGemm<double>* dgemm = nullptr;
    BlasGemm<float>* sgemm = nullptr;
    std::string name, core;  ///< core: processor whose code OpenBLAS runs; empty for other libraries

    Blas() {
        setenv("OPENBLAS_NUM_THREADS", "1", 0);
        void* library = nullptr;
        for (const char* file : {"libopenblas.so.0", "libblas.so.3"})
            if (library == nullptr) library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
        if (library == nullptr) return;
        dgemm = reinterpret_cast<BlasGemm<double>*>(dlsym(library, "dgemm_"));
        sgemm = reinterpret_cast<BlasGemm<float>*>(dlsym(library, "sgemm_"));
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

template <class Real>
void call_blas(const Gemm<Real>& gemm, const Real* a, const Real* b, Real* c) {
    const GemmShape& s = gemm.shape;
    const int m = int(s.m), n = int(s.n), k = int(s.k), lda = int(s.lda), ldb = int(s.ldb), ldc = int(s.ldc);
    const Real alpha = 1, beta = s.update == GemmUpdate::add ? Real(1) : Real(0);
    reinterpret_cast<BlasGemm<Real>*>(gemm.kernel)("N", "N", &m, &n, &k, &alpha, a, &lda, b, &ldb, &beta, c, &ldc);
}

}  // namespace

template <class Real>
Gemm<Real> plan_blas(const GemmShape& shape) {
    void (*function)() = nullptr;
    if constexpr (std::is_same_v<Real, double>)
        function = reinterpret_cast<void (*)()>(blas().dgemm);
    else
        function = reinterpret_cast<void (*)()>(blas().sgemm);
    if (function == nullptr) return {shape};
    return {shape, call_blas<Real>, function};
}
template Gemm<double> plan_blas<double>(const GemmShape&);
template Gemm<float> plan_blas<float>(const GemmShape&);

bool has_blas() { return blas().dgemm != nullptr && blas().sgemm != nullptr; }

std::string describe_blas() {
    return blas().core.empty() ? blas().name : blas().name + " with code for " + blas().core;
}

std::string blas_warning() {
    if (!has_blas()) return "";
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

}  // namespace strata::kronecker
