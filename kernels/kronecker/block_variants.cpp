// SPDX-License-Identifier: BSD-3-Clause
// Tables of kernels of a block that this processor can run.
#include "kernels/kronecker/block_product.hpp"
#include "kernels/variants.hpp"

namespace strata::kronecker {

template <class Real>
BlockKernels<Real> block_kernels(instruction_set::portable);
template <class Real>
BlockKernels<Real> block_kernels(instruction_set::x86_64_v3);
template <class Real>
BlockKernels<Real> block_kernels(instruction_set::avx512);

template <class Real>
const std::vector<BlockKernels<Real>>& block_variants() {
    static const std::vector<BlockKernels<Real>> variants =
        usable_variants([](auto set) { return block_kernels<Real>(set); });
    return variants;
}
template const std::vector<BlockKernels<double>>& block_variants<double>();
template const std::vector<BlockKernels<float>>& block_variants<float>();

}  // namespace strata::kronecker
