// SPDX-License-Identifier: BSD-3-Clause
// Matrix products by a library, for the variants of the multiply that are compared with the own kernels:
//
//     C (m x n) = A (m x k) B (k x n)  or  C += A B        column-major
//
// Back ends are this program's own plain kernel, libxsmm (where the build found it), and the BLAS of the system, which
// is loaded when it is asked for: its threads and its LAPACK then touch nobody else, and OPENBLAS_CORETYPE and
// OPENBLAS_NUM_THREADS can be set before.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kernels/kronecker/gemm_shape.hpp"

namespace strata::kronecker {

enum class GemmBackend { own, libxsmm, blas };
std::string_view name_of(GemmBackend backend);

/// Back ends of this build and system.
const std::vector<GemmBackend>& usable_gemm_backends();

/// A back end plans the shapes that it cannot do (libxsmm: large ones) for the BLAS, or the own kernel without one.
template <class Real>
Gemm<Real> plan_gemm(GemmBackend backend, const GemmShape& shape);

/// The name of a back end and what is known of it, "OpenBLAS 0.3.21 with kernels for Haswell".
std::string describe(GemmBackend backend);

/// A sentence if the BLAS runs code for another processor than this one, else empty. Distributions ship an OpenBLAS
/// that does not know the processors of the last years and takes the code of older ones, at down to a sixth of the
/// speed.
std::string blas_warning();

struct GemmTrial {
    GemmBackend backend;
    double gflops;  ///< geometric mean over shapes of typical blocks, on one thread
};
/// Times all usable back ends for about 50 ms together, the fastest one first.
template <class Real>
std::vector<GemmTrial> try_gemm_backends();

/// GFLOP/s of products of 128 x 128 doubles that stay in the caches, on all threads at once for about 50 ms: what the
/// rates of multiplies are compared with.
double gemm_rate(GemmBackend backend, int threads);

}  // namespace strata::kronecker
