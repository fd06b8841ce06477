// SPDX-License-Identifier: BSD-3-Clause
// The tables of kernels of a block that this processor can run, and the workspace of a product.
#include <algorithm>

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

template <class Real>
std::uint64_t workspace_reals(const BlockLayout<Real>& layout) {
    return layout.shape().operators * std::max(layout.shape().to.r, layout.shape().from.r);
}
template std::uint64_t workspace_reals<double>(const BlockLayout<double>&);
template std::uint64_t workspace_reals<float>(const BlockLayout<float>&);

}  // namespace strata::kronecker
