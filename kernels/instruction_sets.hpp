// SPDX-License-Identifier: BSD-3-Clause
// The instruction sets that *_cpu.cpp files are compiled for.
#pragma once

#include <string_view>
#include <vector>

namespace strata {

/// Names of those that this processor has, the fastest first; the last one is "portable".
const std::vector<std::string_view>& usable_instruction_sets();

}  // namespace strata
