// SPDX-License-Identifier: BSD-3-Clause
// Tables of kernels of a block that this processor can run.
#include "kernels/kronecker/block_product.hpp"
#include "kernels/variants.hpp"

namespace strata::kronecker {

STRATA_DECLARE_VARIANTS(template <class Real> BlockKernels<Real> block_kernels)

template <class Real>
const std::vector<BlockKernels<Real>>& block_variants() {
    return usable_variants([](auto set) { return block_kernels<Real>(set); });
}
template const std::vector<BlockKernels<double>>& block_variants<double>();
template const std::vector<BlockKernels<float>>& block_variants<float>();

}  // namespace strata::kronecker
