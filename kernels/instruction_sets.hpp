// SPDX-License-Identifier: BSD-3-Clause
// Instruction sets that *_cpu.cpp files are compiled for (kernels/CMakeLists.txt), and the choice of one of them at run
// time. Results have the same bits with all of them.
#pragma once

#include <string_view>
#include <vector>

namespace strata {

/// One tag type for each instruction set. In files compiled once per set, instruction_set::STRATA_ISA is the tag of
/// that set.
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

/// Whether a gather of the processor is faster than a load for each lane: those of AMD are put together from more operations.
bool has_fast_gathers();

/// Names of the compiled sets that this processor supports, the fastest first; the last one is "portable".
const std::vector<std::string_view>& usable_instruction_sets();

/// Table of kernels called `name` among `variants` (fastest first); the first table if no name matches, as for "auto".
template <class Kernels>
const Kernels& choose_kernels(const std::vector<Kernels>& variants, std::string_view name) {
    for (const Kernels& variant : variants)
        if (name == variant.name) return variant;
    return variants.front();
}

}  // namespace strata
