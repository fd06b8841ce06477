// SPDX-License-Identifier: BSD-3-Clause
// Products of small matrices by a library, for the published variants of the multiply (library_multiply.hpp):
//
//     C (m x n) = A (m x k) B (k x n)  or  C += A B        column-major, doubles
//
// Back ends are this program's own plain kernel, libxsmm (where the build found it; A. Heinecke et al., SC16), and the
// BLAS of the system. The BLAS is loaded with dlopen on first use, which keeps its threads and symbols apart from the
// LAPACK that the program links, and allows OPENBLAS_CORETYPE and OPENBLAS_NUM_THREADS to be set before.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kernels/kronecker/gemm_shape.hpp"

namespace strata::perf {

using kronecker::GemmShape, kronecker::GemmUpdate;

/// Product of one shape; the library's code for it is looked up when it is planned.
struct Gemm {
    GemmShape shape;
    void (*call)(const Gemm&, const double* a, const double* b, double* c) = nullptr;
    void (*kernel)() = nullptr;  ///< code that a library has generated for the shape

    void operator()(const double* a, const double* b, double* c) const { call(*this, a, b, c); }
};

enum class GemmBackend { own, libxsmm, blas };
std::string_view name_of(GemmBackend backend);

/// Back ends of this build and system.
const std::vector<GemmBackend>& usable_gemm_backends();

/// Product of one shape by a back end. Shapes that it cannot compute (libxsmm: large ones) are planned for the BLAS,
/// or, without a BLAS, for the own kernel.
Gemm plan_gemm(GemmBackend backend, const GemmShape& shape);

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
std::vector<GemmTrial> try_gemm_backends();

}  // namespace strata::perf
