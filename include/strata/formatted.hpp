// SPDX-License-Identifier: BSD-3-Clause
// Text by a pattern of printf, and counts of things.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

namespace strata {

/// Text of at most 511 bytes, longer ones are cut.
template <class... Values>
std::string formatted(const char* pattern, Values... values) {
    char text[512];
    std::snprintf(text, sizeof text, pattern, values...);
    return text;
}

/// "1 rank", "2 ranks".
inline std::string counted(std::uint64_t count, const std::string& singular) {
    return std::to_string(count) + " " + singular + (count == 1 ? "" : "s");
}

}  // namespace strata
