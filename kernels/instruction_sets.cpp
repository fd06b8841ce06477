// SPDX-License-Identifier: BSD-3-Clause
// The processor's extensions are tested once; a set is usable if its kernels were compiled and the processor supports
// every extension that they may use.
#include "kernels/instruction_sets.hpp"

namespace strata {

bool has_fast_gathers() {
#if defined(__x86_64__)
    __builtin_cpu_init();
    return !__builtin_cpu_is("amd");
#else
    return false;
#endif
}

const std::vector<std::string_view>& usable_instruction_sets() {
    static const std::vector<std::string_view> usable = [] {
        std::vector<std::string_view> names;
#if defined(STRATA_HAS_avx512)
        __builtin_cpu_init();
        if (__builtin_cpu_supports("avx512vbmi2") && __builtin_cpu_supports("avx512vbmi") &&
            __builtin_cpu_supports("avx512vpopcntdq") && __builtin_cpu_supports("avx512bw") &&
            __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("bmi2"))
            names.emplace_back("avx512");
#endif
#if defined(STRATA_HAS_x86_64_v3)
        __builtin_cpu_init();
        if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma"))
            names.emplace_back("x86_64_v3");
#endif
        names.emplace_back("portable");
        return names;
    }();
    return usable;
}

}  // namespace strata
