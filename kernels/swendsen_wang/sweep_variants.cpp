// SPDX-License-Identifier: BSD-3-Clause
// Which of the compiled variants this machine can run.
#include "kernels/swendsen_wang/sweep_variant.hpp"

namespace strata::swendsen_wang {

const std::vector<SweepKernels>& sweep_variants() {
    static const std::vector<SweepKernels> variants = [] {
        std::vector<SweepKernels> usable;
#if defined(STRATA_X86_VARIANTS)
        __builtin_cpu_init();
        if (__builtin_cpu_supports("avx512vbmi2") && __builtin_cpu_supports("avx512vbmi") &&
            __builtin_cpu_supports("avx512vpopcntdq") && __builtin_cpu_supports("avx512bw") &&
            __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("bmi2"))
            usable.push_back(avx512::kernels());
        if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma"))
            usable.push_back(x86_64_v3::kernels());
#endif
        usable.push_back(portable::kernels());
        return usable;
    }();
    return variants;
}

}  // namespace strata::swendsen_wang
