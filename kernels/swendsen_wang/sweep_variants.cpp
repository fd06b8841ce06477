// SPDX-License-Identifier: BSD-3-Clause
// Which of the compiled variants this machine can run.
#include "kernels/instruction_sets.hpp"
#include "kernels/swendsen_wang/sweep_variant.hpp"

namespace strata::swendsen_wang {

const std::vector<SweepKernels>& sweep_variants() {
    static const std::vector<SweepKernels> variants = [] {
        std::vector<SweepKernels> usable;
        for (std::string_view name : usable_instruction_sets()) {
#if defined(STRATA_X86_VARIANTS)
            if (name == "avx512") usable.push_back(avx512::kernels());
            if (name == "x86_64_v3") usable.push_back(x86_64_v3::kernels());
#endif
            if (name == "portable") usable.push_back(portable::kernels());
        }
        return usable;
    }();
    return variants;
}

}  // namespace strata::swendsen_wang
