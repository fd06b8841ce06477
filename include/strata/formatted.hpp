// SPDX-License-Identifier: BSD-3-Clause
// Text by a pattern of printf.
#pragma once

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

}  // namespace strata
