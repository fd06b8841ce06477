// SPDX-License-Identifier: BSD-3-Clause
// Keys with a few values, each a word in the job and an enumerator in the code. One table per key defines both, and
// Key::choices is made from it.
#pragma once

#include <string>
#include <vector>

#include "strata/config.hpp"
#include "strata/error.hpp"

namespace strata {

template <class Value>
struct Choice {
    const char* word;
    Value value;
};

/// The words of a table, for Key::choices.
template <class Table>
std::vector<std::string> words_of(const Table& table) {
    std::vector<std::string> words;
    for (const auto& choice : table) words.emplace_back(choice.word);
    return words;
}

/// The value that `config` chose for `key`.
template <class Table>
auto chosen(const Config& config, const char* key, const Table& table) {
    for (const auto& choice : table)
        if (config.text(key) == choice.word) return choice.value;
    throw Error(ExitCode::internal, std::string(key) + " has none of its choices.");
}

}  // namespace strata
