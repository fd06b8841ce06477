// SPDX-License-Identifier: BSD-3-Clause
// libxsmm generates code for one shape (A. Heinecke et al., SC16). A plan stores its function, since looking it up
// takes longer than a small product.
#include "kernels/kronecker/gemm_backends.hpp"

#if defined(STRATA_LIBXSMM)
#include <libxsmm.h>

#include <type_traits>
#endif

namespace strata::kronecker {

#if defined(STRATA_LIBXSMM)
namespace {

template <class Real>
using Function = std::conditional_t<std::is_same_v<Real, double>, libxsmm_dmmfunction, libxsmm_smmfunction>;

template <class Real>
void call_libxsmm(const Gemm<Real>& gemm, const Real* a, const Real* b, Real* c) {
    reinterpret_cast<Function<Real>>(gemm.kernel)(a, b, c);
}

}  // namespace

template <class Real>
Gemm<Real> plan_libxsmm(const GemmShape& shape) {
    const auto m = static_cast<libxsmm_blasint>(shape.m), n = static_cast<libxsmm_blasint>(shape.n);
    const auto k = static_cast<libxsmm_blasint>(shape.k), lda = static_cast<libxsmm_blasint>(shape.lda);
    const auto ldb = static_cast<libxsmm_blasint>(shape.ldb), ldc = static_cast<libxsmm_blasint>(shape.ldc);
    const Real alpha = 1, beta = shape.update == GemmUpdate::add ? Real(1) : Real(0);
    const int flags = LIBXSMM_GEMM_FLAG_NONE, prefetch = LIBXSMM_GEMM_PREFETCH_NONE;
    Function<Real> function = nullptr;
    if constexpr (std::is_same_v<Real, double>)
        function = libxsmm_dmmdispatch(m, n, k, &lda, &ldb, &ldc, &alpha, &beta, &flags, &prefetch);
    else
        function = libxsmm_smmdispatch(m, n, k, &lda, &ldb, &ldc, &alpha, &beta, &flags, &prefetch);
    if (function == nullptr) return {shape};
    return {shape, call_libxsmm<Real>, reinterpret_cast<void (*)()>(function)};
}
bool has_libxsmm() { return true; }
std::string describe_libxsmm() {
    return std::string("libxsmm ") + LIBXSMM_VERSION + " with code for " + libxsmm_get_target_arch();
}
#else
template <class Real>
Gemm<Real> plan_libxsmm(const GemmShape& shape) {
    return {shape};
}
bool has_libxsmm() { return false; }
std::string describe_libxsmm() { return "no libxsmm"; }
#endif

template Gemm<double> plan_libxsmm<double>(const GemmShape&);
template Gemm<float> plan_libxsmm<float>(const GemmShape&);

}  // namespace strata::kronecker
