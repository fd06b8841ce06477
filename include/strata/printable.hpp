// SPDX-License-Identifier: BSD-3-Clause
// Conversion of text of unknown origin to text that is safe for a terminal, and the only printer of errors.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace strata {

/// Whether a newline is a control character like others, or separates sentences.
enum class Newlines { replaced, kept };

/// Replaces control characters, also those that UTF-8 encodes in two bytes, by \xNN, and truncates after `most` bytes.
inline std::string printable(std::string_view text, std::size_t most = 60, Newlines newlines = Newlines::replaced) {
    std::string shown;
    bool second = false;  // the previous byte begins a character from U+0080 to U+00BF
    for (unsigned char c : text.substr(0, most)) {
        char code[8];
        std::snprintf(code, sizeof code, "\\x%02x", c);
        const bool kept = c == '\n' && newlines == Newlines::kept;
        const bool control = !kept && (c < 0x20 || c == 0x7f || (second && c < 0xa0));
        second = c == 0xc2;
        shown += control ? std::string(code) : std::string(1, static_cast<char>(c));
    }
    return text.size() > most ? shown + "..." : shown;
}

/// Prints "strata: SENTENCE" on stderr. Sentences quote files, whose control characters a terminal would obey: here they
/// are escaped for all of them.
inline void print_error(std::string_view sentence) {
    std::fprintf(stderr, "strata: %s\n", printable(sentence, sentence.size(), Newlines::kept).c_str());
}

}  // namespace strata
