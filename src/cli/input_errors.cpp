// SPDX-License-Identifier: BSD-3-Clause
// The nearest valid word is the one with the smallest edit distance, if that is small for the length of the word.
#include "cli/input_errors.hpp"

#include <algorithm>
#include <cctype>
#include <numeric>

#include "strata/error.hpp"
#include "strata/printable.hpp"

namespace strata::cli {
namespace {

std::string lower(std::string_view text) {
    std::string result(text);
    std::ranges::transform(result, result.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return result;
}

/// Levenshtein distance, by one row of the usual table.
std::size_t edits(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < a.size(); ++i) {
        std::size_t diagonal = row[0]++;
        for (std::size_t j = 0; j < b.size(); ++j) {
            const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
        }
    }
    return row.back();
}

std::string_view last_part(std::string_view name) { return name.substr(name.rfind('.') + 1); }

}  // namespace

void InputErrors::throw_if_any() const {
    if (sentences_.empty()) return;
    std::string all;
    for (const std::string& sentence : sentences_) all += (all.empty() ? "" : "\n        ") + sentence;
    throw Error(ExitCode::bad_input, all);
}

std::string nearest(std::string_view word, const std::vector<std::string>& candidates) {
    const std::string wanted = lower(word.substr(0, 100));
    std::string best;
    std::size_t least = std::max<std::size_t>(2, wanted.size() / 4) + 1;
    for (const std::string& candidate : candidates) {
        const std::size_t distance = last_part(candidate) == last_part(wanted) ? 1 : edits(wanted, lower(candidate));
        if (distance < least) {
            least = distance;
            best = candidate;
        }
    }
    return best;
}

std::string suggestion(std::string_view word, const std::vector<std::string>& candidates) {
    const std::string near = nearest(word, candidates);
    return near.empty() ? "" : " Did you mean " + near + "?";
}

std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (std::size_t i = 0; i < words.size(); ++i)
        text += (i == 0 ? "" : i + 1 == words.size() ? " or " : ", ") + words[i];
    return text;
}

std::string printable(std::string_view text) { return strata::printable(text); }

}  // namespace strata::cli
