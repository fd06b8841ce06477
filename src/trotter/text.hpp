// SPDX-License-Identifier: BSD-3-Clause
// Texts of a job with a syntax of their own: items separated by semicolons, each of a few words, and files with one item
// per line. What is wrong with one becomes a sentence that names the key, the item and the rule.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "trotter/config.hpp"

namespace strata::trotter {

struct Item {
    std::string place;  ///< key, or file and line
    std::string text;
    std::vector<std::string> words;

    /// Throws Error(bad_input): "PLACE: 'TEXT' RULE".
    [[noreturn]] void refuse(const std::string& rule) const;
    /// A word as a number, all words from `first` on, or a spin below `spins`. Throw as refuse() does.
    double real(std::size_t word, const std::string& rule) const;
    std::vector<double> reals_from(std::size_t first, const std::string& rule) const;
    int spin(std::size_t word, int spins) const;
    /// A word as x, y or z.
    Axis axis(std::size_t word) const;
};

/// The parts of a text between semicolons that are not blank.
std::vector<Item> items_of(const std::string& key, std::string_view text);
/// The lines of a file that are not blank; # begins a comment.
std::vector<Item> lines_of(const NamedText& file);

/// Shortest decimal that reads back as `value`.
std::string number_text(double value);

/// The step that begins at `time`, a multiple of `step`. Throws Error(bad_input) that begins with `what` and names the
/// nearest multiple.
std::uint64_t step_at(double time, double step, const std::string& what);

}  // namespace strata::trotter
