// SPDX-License-Identifier: BSD-3-Clause
// The instruction sets that *_cpu.cpp and *_variant.cpp files are compiled for (kernels/CMakeLists.txt), and the choice
// of one of them at run time. All of them give the same bits.
#pragma once

#include <string_view>
#include <vector>

namespace strata {

/// A tag for each instruction set. Files compiled once per set see their own as instruction_set::STRATA_ISA.
namespace instruction_set {
struct portable {
    static constexpr std::string_view name = "portable";
};
struct x86_64_v3 {
    static constexpr std::string_view name = "x86_64_v3";
};
struct avx512 {
    static constexpr std::string_view name = "avx512";
};
}  // namespace instruction_set

/// Names of those that this processor has, the fastest first; the last one is "portable".
const std::vector<std::string_view>& usable_instruction_sets();

/// The table of kernels of that name among `variants`, the fastest first; the first one if there is none ("auto").
template <class Kernels>
const Kernels& choose_kernels(const std::vector<Kernels>& variants, std::string_view name) {
    for (const Kernels& variant : variants)
        if (name == variant.name) return variant;
    return variants.front();
}

}  // namespace strata
