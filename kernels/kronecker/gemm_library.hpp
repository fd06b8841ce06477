// SPDX-License-Identifier: BSD-3-Clause
// Matrix products by a library, for the variants of the multiply that are compared with the own kernels:
//
//     C (m x n) = A (m x k) B (k x n)  or  C += A B        column-major
//
// Back ends are this program's own plain kernel, libxsmm (where the build found it), and the BLAS of the system. The
// BLAS is loaded with dlopen on first use, which keeps its threads and symbols apart from the LAPACK that the program
// links, and allows OPENBLAS_CORETYPE and OPENBLAS_NUM_THREADS to be set before.
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

/// Product of one shape by a back end. Shapes that it cannot compute (libxsmm: large ones) are planned for the BLAS,
/// or, without a BLAS, for the own kernel.
template <class Real>
Gemm<Real> plan_gemm(GemmBackend backend, const GemmShape& shape);

/// Name and version of a back end, with its processor, such as "OpenBLAS 0.3.21 with code for Haswell".
std::string describe(GemmBackend backend);

/// Sentence if the BLAS is not OpenBLAS, or runs code without AVX-512 on a processor that has it; else empty.
/// Distributions ship an OpenBLAS that does not know recent processors and runs the code of older ones, at down to a
/// sixth of the speed.
std::string blas_warning();

struct GemmTrial {
    GemmBackend backend;
    double gflops;  ///< geometric mean over shapes of typical blocks, on one thread
};
/// Times all usable back ends for about 50 ms together, the fastest one first.
template <class Real>
std::vector<GemmTrial> try_gemm_backends();

/// GFLOP/s of products of 128 x 128 doubles that stay in the caches, on all threads at once for about 50 ms: the
/// reference for the rates of multiplies.
double gemm_rate(GemmBackend backend, int threads);

}  // namespace strata::kronecker
