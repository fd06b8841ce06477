// SPDX-License-Identifier: BSD-3-Clause
// From entries and command line to a Config: every key known, given once, of its type and in its range, or a error that
// says which key, which value, which rule and what was probably meant.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/input_errors.hpp"
#include "cli/job_file.hpp"
#include "strata/config.hpp"

namespace strata::cli {

/// An override --key=value.
struct Override {
    std::string key;
    std::string value;
};

/// The keys every application has, in the order of the manual.
std::vector<Key> common_keys();

/// Keys that mean the same wherever they occur, for applications that name them in ApplicationEntry::optional_keys.
std::vector<Key> optional_keys();

/// Name of the application a job is for: the one of the command line, else of the job file, whose [lattice] and [model]
/// mean the same in several; an error if it is missing, given twice or not among `known`.
std::string application_of(const JobFile& job, const std::vector<Override>& overrides,
                           const std::vector<std::string>& known, InputErrors& errors);

/// Resolves a job for `application`, whose keys (common ones included) are `keys`, and reads the files that it names. A
/// key that was given where it does not apply, or is missing where it must be given, is a error.
Config resolve(const std::string& application, const JobFile& job, const std::vector<Override>& overrides,
               const std::vector<Key>& keys, InputErrors& errors);

/// The sentence against a value for a key, without its place; empty if the value is good.
std::string value_error(const Key& key, const std::string& value);

/// A job with `overrides` laid over its values. A key whose role is physics is a error: a resumed run must stay the
/// same run. So is one that does not apply. Files are not read again: their stored content is the job's.
Config override_for_resume(const Config& job, const std::vector<Override>& overrides, InputErrors& errors);

/// All values, where they came from and what files held, in printable ASCII, one per line: what rank 0 sends to the
/// others and what checkpoints keep.
std::string canonical_text(const Config& config);
/// The inverse, for the same table of keys. Throws Error(file) for a text that does not fit it, or that names a file
/// without its content, as earlier versions did.
Config from_canonical_text(std::string_view text, const std::vector<Key>& keys);

/// The values that decide what is computed: equal for a run and its continuation.
std::string physics_text(const Config& config);

/// A sentence for every file that no longer holds what the job has stored of it.
std::vector<std::string> changed_files(const Config& config);

/// 64-bit digest of a text (FNV-1a), to compare ranks.
std::uint64_t digest(std::string_view text);

}  // namespace strata::cli
