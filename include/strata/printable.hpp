// SPDX-License-Identifier: BSD-3-Clause
// Words that other programs or people wrote, made safe for a terminal.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace strata {

/// Text of unknown origin for a terminal: control characters as \xNN, also those that UTF-8 writes in two bytes; cut
/// after `most` bytes.
inline std::string printable(std::string_view text, std::size_t most = 60) {
    std::string shown;
    bool second = false;  // the byte before begins a character from U+0080 to U+00BF
    for (unsigned char c : text.substr(0, most)) {
        char code[8];
        std::snprintf(code, sizeof code, "\\x%02x", c);
        const bool control = c < 0x20 || c == 0x7f || (second && c < 0xa0);
        second = c == 0xc2;
        shown += control ? std::string(code) : std::string(1, static_cast<char>(c));
    }
    return text.size() > most ? shown + "..." : shown;
}

}  // namespace strata
