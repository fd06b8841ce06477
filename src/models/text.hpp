// SPDX-License-Identifier: BSD-3-Clause
// Texts of a job with a syntax of their own: items separated by semicolons, each of a few words, and files with one
// item per line. An error in one becomes a sentence that names the key, the item and the rule.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

/// A file that the job names: its path, for messages, and its content.
struct NamedText {
    std::string name;
    std::string content;
};

struct Item {
    std::string place;  ///< origin for messages: the key, or file and line
    std::string text;   ///< the words, joined by single blanks
    std::vector<std::string> words;

    /// Throws Error(bad_input): "PLACE: 'TEXT' RULE".
    [[noreturn]] void refuse(const std::string& rule) const;
    /// Word number `word` as a real number; all words from `first` on as real numbers; word number `word` as an index
    /// of `what` (spin, site) from 0 to `count` - 1. They throw as refuse() does.
    double real(std::size_t word, const std::string& rule) const;
    std::vector<double> reals_from(std::size_t first, const std::string& rule) const;
    int index(std::size_t word, int count, const std::string& what) const;
};

/// The parts of a text between semicolons that are not blank.
std::vector<Item> items_of(const std::string& key, std::string_view text);
/// The lines of a file that are not blank; # begins a comment.
std::vector<Item> lines_of(const NamedText& file);
/// Calls read(item) for every item. Throws the errors of all of them as one, at most ten sentences.
void for_each_item(const std::vector<Item>& items, const std::function<void(const Item&)>& read);

}  // namespace strata
