// SPDX-License-Identifier: BSD-3-Clause
// Which of the compiled variants this machine can run, and what they share.
#include "kernels/instruction_sets.hpp"
#include "kernels/lanczos/step_kernels.hpp"

namespace strata::lanczos {

namespace portable {
template <class Real>
StepKernels<Real> step_kernels();
}
namespace x86_64_v3 {
template <class Real>
StepKernels<Real> step_kernels();
}
namespace avx512 {
template <class Real>
StepKernels<Real> step_kernels();
}

template <class Real>
const std::vector<StepKernels<Real>>& step_variants() {
    static const std::vector<StepKernels<Real>> variants = [] {
        std::vector<StepKernels<Real>> usable;
        for (std::string_view name : usable_instruction_sets()) {
#if defined(STRATA_X86_VARIANTS)
            if (name == "avx512") usable.push_back(avx512::step_kernels<Real>());
            if (name == "x86_64_v3") usable.push_back(x86_64_v3::step_kernels<Real>());
#endif
            if (name == "portable") usable.push_back(portable::step_kernels<Real>());
        }
        return usable;
    }();
    return variants;
}
template const std::vector<StepKernels<double>>& step_variants<double>();
template const std::vector<StepKernels<float>>& step_variants<float>();

std::uint64_t scratch_reals(const HamiltonianView& h) {
    const std::uint64_t table = static_cast<std::uint64_t>(h.coupling.chunks) << h.coupling.chunk_bits;
    return h.layout.block_size() + block_rows + table * block_rows;
}

std::uint64_t subspace_scratch_reals(const SubspaceHopsView& c) { return c.from.block_size() + c.to.block_size(); }

}  // namespace strata::lanczos
