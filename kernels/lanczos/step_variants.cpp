// SPDX-License-Identifier: BSD-3-Clause
// Tables of kernels of a Lanczos step that this processor can run, and the sizes of their scratch memory. Each table is
// made by step_variant.cpp, compiled for its instruction set.
#include "kernels/lanczos/step_kernels.hpp"
#include "kernels/variants.hpp"

namespace strata::lanczos {

STRATA_DECLARE_VARIANTS(template <class Real> StepKernels<Real> step_kernels)
STRATA_DECLARE_VARIANTS(template <class Real> StepKernels<Real> symmetric_step_kernels)

template <class Real>
const std::vector<StepKernels<Real>>& step_variants() {
    return usable_variants([](auto set) { return step_kernels<Real>(set); });
}
template <class Real>
const std::vector<StepKernels<Real>>& symmetric_step_variants() {
    return usable_variants([](auto set) { return symmetric_step_kernels<Real>(set); });
}
template const std::vector<StepKernels<double>>& step_variants<double>();
template const std::vector<StepKernels<float>>& step_variants<float>();
template const std::vector<StepKernels<double>>& symmetric_step_variants<double>();
template const std::vector<StepKernels<float>>& symmetric_step_variants<float>();

std::uint64_t scratch_reals(const HamiltonianView& h) {
    const std::uint64_t table = static_cast<std::uint64_t>(h.coupling.chunks) << h.coupling.chunk_bits;
    if (h.symmetry.order == 0) return h.layout.block_size() + block_rows + table * block_rows;
    const std::uint64_t lanes = h.layout.panel / h.symmetry.order;  // rows that are transposed together
    return (h.layout.panels() * h.layout.panel + h.layout.panel + 1 + table) * lanes;
}

std::uint64_t subspace_scratch_reals(const SubspaceHopsView& c) { return c.from.block_size() + c.to.block_size(); }

}  // namespace strata::lanczos
