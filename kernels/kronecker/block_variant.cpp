// SPDX-License-Identifier: BSD-3-Clause
// Table of the kernels of a block for one instruction set.
#include "kernels/instruction_sets.hpp"
#include "kernels/kronecker/block_product.hpp"

namespace strata::kronecker {
namespace STRATA_ISA {

template <class Real>
void forward(const BlockProduct<Real>&);
template <class Real>
void backward(const BlockProduct<Real>&);
template <class Real>
void gemm(const GemmShape&, const Real*, const Real*, Real*);

}  // namespace STRATA_ISA

template <class Real>
BlockKernels<Real> block_kernels(instruction_set::STRATA_ISA set) {
    return {.name = set.name,
            .forward = STRATA_ISA::forward<Real>,
            .backward = STRATA_ISA::backward<Real>,
            .gemm = STRATA_ISA::gemm<Real>};
}
template BlockKernels<double> block_kernels<double>(instruction_set::STRATA_ISA);
template BlockKernels<float> block_kernels<float>(instruction_set::STRATA_ISA);

}  // namespace strata::kronecker
