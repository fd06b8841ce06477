// SPDX-License-Identifier: BSD-3-Clause
// Back ends behind gemm_library.hpp. Each plans one shape; `call` of the result stays null if it cannot compute that
// shape.
#pragma once

#include <string>

#include "kernels/kronecker/gemm_shape.hpp"

namespace strata::kronecker {

template <class Real>
Gemm<Real> plan_libxsmm(const GemmShape& shape);
bool has_libxsmm();
std::string describe_libxsmm();

template <class Real>
Gemm<Real> plan_blas(const GemmShape& shape);
bool has_blas();
std::string describe_blas();

}  // namespace strata::kronecker
