// SPDX-License-Identifier: BSD-3-Clause
// List of the tables of kernels that are compiled once per instruction set. A file *_variant.cpp, compiled once per
// set, defines `Kernels table(instruction_set::STRATA_ISA)`, which fills a struct of function pointers; one ordinary
// file declares that function for every set by STRATA_DECLARE_VARIANTS and calls usable_variants.
#pragma once

#include <vector>

#include "kernels/instruction_sets.hpp"

namespace strata {

/// Declares a function, given without its parameter, for every instruction set.
#define STRATA_DECLARE_VARIANTS(...)         \
    __VA_ARGS__(instruction_set::portable);  \
    __VA_ARGS__(instruction_set::x86_64_v3); \
    __VA_ARGS__(instruction_set::avx512);

/// Results of `table(tag)` for every instruction set that this processor supports, the fastest first. They are made
/// once for every lambda expression `table`, which has no state.
template <class Table>
const auto& usable_variants(Table table) {
    static const auto all = [table] {
        std::vector<decltype(table(instruction_set::portable()))> variants;
        for (std::string_view name : usable_instruction_sets()) {
#if defined(STRATA_HAS_avx512)
            if (name == instruction_set::avx512::name) variants.push_back(table(instruction_set::avx512()));
#endif
#if defined(STRATA_HAS_x86_64_v3)
            if (name == instruction_set::x86_64_v3::name) variants.push_back(table(instruction_set::x86_64_v3()));
#endif
            if (name == instruction_set::portable::name) variants.push_back(table(instruction_set::portable()));
        }
        return variants;
    }();
    return all;
}

}  // namespace strata
