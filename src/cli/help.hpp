// SPDX-License-Identifier: BSD-3-Clause
// Texts of --help and of `strata keys`.
#pragma once

#include <string>
#include <vector>

#include "cli/verbs.hpp"
#include "strata/config.hpp"

namespace strata::cli {

struct ApplicationTitle {
    std::string name;
    std::string title;
};

std::string usage(const std::vector<ApplicationTitle>& applications);

/// The help of one verb: synopsis, meaning and switches.
std::string verb_usage(const VerbRow& verb);

/// Examples, and what signals and exit codes mean: parts of the help and of the manual page.
std::string examples_text();
std::string signals_text();

/// True if the text contains the word, in any case.
bool contains_word(const std::string& text, const std::string& word);

/// The keys whose names or meanings contain the word, in any case.
std::vector<Key> keys_about(const std::string& word, std::vector<Key> keys);

/// Parts of the table of keys: the section of a key, and its type with the range or the choices and its default as text.
std::string section_of(const Key& key);
std::string type_text(const Key& key);
std::string default_text(const Key& key);

/// The keys in the order of the table, in which the keys of a section follow each other.
std::vector<Key> by_section(std::vector<Key> keys);

/// The table of keys of one application, by section, followed by the job file `example` if it is not empty.
std::string key_table(const std::string& application, const std::vector<Key>& keys, const std::string& example);

}  // namespace strata::cli
