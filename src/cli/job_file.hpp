// SPDX-License-Identifier: BSD-3-Clause
// A job file as text and as entries with their lines, before anyone knows which keys there are. INI in the dialect of
// Boost.Program_options: [section], key = value, # comments.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/input_errors.hpp"

namespace strata::cli {

struct JobEntry {
    std::string key;  ///< section.key
    std::string value;
    int line = 0;
};

struct JobFile {
    std::string name;  ///< as given by the user
    std::string text;  ///< without byte order mark and carriage returns
    std::vector<JobEntry> entries;

    std::string at(int line) const { return name + ":" + std::to_string(line) + ": "; }
};

/// Largest job file, or file named in one, that is read.
constexpr std::size_t max_job_bytes = std::size_t{1} << 20;

/// Without blanks and tabs at both ends.
std::string trimmed(std::string_view text);

/// The content of a regular file of at most that size; `error` says what is wrong with it, and is empty if nothing is.
std::string read_text(const std::string& path, std::string& error);

/// Reads a regular file of text. Throws Error(bad_input) if there is no such file or it is none.
std::string read_job_text(const std::string& path);

/// The entries of `text`; lines that are no INI become errors.
JobFile parse_job(std::string name, std::string text, InputErrors& errors);

}  // namespace strata::cli
