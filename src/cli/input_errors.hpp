// SPDX-License-Identifier: BSD-3-Clause
// All errors of one job, reported together, and suggestions for mistyped words.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace strata::cli {

class InputErrors {
  public:
    void add(std::string sentence) { sentences_.push_back(std::move(sentence)); }
    bool empty() const { return sentences_.empty(); }
    const std::vector<std::string>& sentences() const { return sentences_; }
    /// Throws Error(bad_input) with all sentences, one per line, if there are any.
    void throw_if_any() const;

  private:
    std::vector<std::string> sentences_;
};

/// The candidate nearest to `word`, ignoring case: one with the same last part after a dot, or one that other programs
/// call by this word, or the one with the smallest edit distance. Empty if none is near, and for a number.
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

/// " Did you mean NEAREST?" or "".
std::string suggestion(std::string_view word, const std::vector<std::string>& candidates);

/// "a, b or c".
std::string joined(const std::vector<std::string>& words);

/// Text for a message: control characters as \xNN, truncated after 60 bytes.
std::string printable(std::string_view text);

}  // namespace strata::cli
