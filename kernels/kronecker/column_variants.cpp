// SPDX-License-Identifier: BSD-3-Clause
// Tables of the linear algebra of patch vectors that this processor can run.
#include "kernels/kronecker/column_vectors.hpp"
#include "kernels/variants.hpp"

namespace strata::kronecker {

template <class Real>
ColumnKernels<Real> column_kernels(instruction_set::portable);
template <class Real>
ColumnKernels<Real> column_kernels(instruction_set::x86_64_v3);
template <class Real>
ColumnKernels<Real> column_kernels(instruction_set::avx512);

template <class Real>
const std::vector<ColumnKernels<Real>>& column_variants() {
    static const std::vector<ColumnKernels<Real>> variants =
        usable_variants([](auto set) { return column_kernels<Real>(set); });
    return variants;
}
template const std::vector<ColumnKernels<double>>& column_variants<double>();
template const std::vector<ColumnKernels<float>>& column_variants<float>();

}  // namespace strata::kronecker
