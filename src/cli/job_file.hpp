// SPDX-License-Identifier: BSD-3-Clause
// A job file as text and as entries with their line numbers, before keys are checked. The syntax is the INI dialect of
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

/// Largest size of a job file, or of a file that it names.
constexpr std::size_t max_job_bytes = std::size_t{1} << 20;

/// The text without blanks and tabs at both ends.
std::string trimmed(std::string_view text);

/// The content of a regular file of at most that size. `error` is the end of a sentence if it cannot be read; otherwise
/// it does not change.
std::string read_text(const std::string& path, std::string& error);

/// The path of a file that a value names. In a job file, whose values have the origin "FILE:LINE", it is relative to the
/// folder of that file; elsewhere to the folder in which the program was started.
std::string path_beside(const std::string& origin, const std::string& path);

/// Reads a job file. Throws Error(bad_input) under the conditions of read_text().
std::string read_job_text(const std::string& path);

/// The entries of `text`; adds an error for every line with wrong syntax.
JobFile parse_job(std::string name, std::string text, InputErrors& errors);

}  // namespace strata::cli
