// SPDX-License-Identifier: BSD-3-Clause
// Prints the instruction sets of this processor as a CMake list, the fastest first, for a build that serves only this
// machine.
#include <cstdio>

#include "kernels/instruction_sets.hpp"

int main() {
    const char* separator = "";
    for (const std::string_view name : strata::usable_instruction_sets()) {
        std::printf("%s%.*s", separator, static_cast<int>(name.size()), name.data());
        separator = ";";
    }
}
