// SPDX-License-Identifier: BSD-3-Clause
// Resolves the entries of a job file and the command line to a Config. Every key must be known, given once, and of its
// type and range; an error names the key, the value, the rule and the likely intention.
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

/// The keys of every application, in the order of the manual.
std::vector<Key> common_keys();

/// Keys with the same meaning in several applications, which list them in ApplicationEntry::optional_keys.
std::vector<Key> optional_keys();

/// Name of the application of a job: from the command line, else from the job file (its [lattice] and [model] have the
/// same meaning in several applications). Adds an error if it is missing, given twice or not among `known`.
std::string application_of(const JobFile& job, const std::vector<Override>& overrides,
                           const std::vector<std::string>& known, InputErrors& errors);

/// Resolves a job for `application`, whose keys (common ones included) are `keys`, and reads the files that it names. A
/// key that is given where it does not apply, or missing where it must be given, is an error.
Config resolve(const std::string& application, const JobFile& job, const std::vector<Override>& overrides,
               const std::vector<Key>& keys, InputErrors& errors);

/// The error of a value for a key, as the end of a sentence without its location; empty if the value is valid.
std::string value_error(const Key& key, const std::string& value);

/// The normalised value of a key: 1e4 and 1/2 become plain numbers, and `none` unsets a list. `error` is set, as by
/// value_error(), if the value is invalid, and does not change otherwise.
Config::Value parsed_value(const Key& key, const std::string& typed, const std::string& origin, std::string& error);

/// A job with its values replaced by `overrides`. An override of a fixed key (is_fixed()) is an error, since a resumed
/// run must remain the same run, and so is a key that does not apply. Files are not read again: their stored content is
/// used.
Config override_for_resume(const Config& job, const std::vector<Override>& overrides, InputErrors& errors);
/// The same for a job that measures the final state of another: its keys of measurement, output and backend may change,
/// and those that did not apply to the other job. Keys that were given there and no longer apply have their defaults.
Config override_for_measurement(const Config& job, const std::vector<Override>& overrides, InputErrors& errors);

/// The keys that apply where those of `overrides` have these values and all others their defaults; all without any.
std::vector<Key> keys_with(const std::string& application, const std::vector<Override>& overrides,
                           std::vector<Key> keys, InputErrors& errors);

/// All values with their origin and the content of files, in printable ASCII, one per line: the form in which rank 0
/// broadcasts a job and checkpoints store it.
std::string canonical_text(const Config& config);
/// What happens to a key that was given in a stored job, but has left the program since. One that was stored with its
/// default is left out in either case.
enum class FormerKeys { refused, left_out };
/// The inverse, for the same table of keys. Throws Error(file) for a text that does not match the keys, or that names a
/// file without its content, as earlier versions did.
Config from_canonical_text(std::string_view text, const std::vector<Key>& keys,
                           FormerKeys former = FormerKeys::refused);

/// Text of all values that are equal for a run and its continuation.
std::string physics_text(const Config& config);

/// A sentence for every file whose content differs from the content stored in the job.
std::vector<std::string> changed_files(const Config& config);

/// 64-bit digest of a text (FNV-1a), for comparisons between ranks.
std::uint64_t digest(std::string_view text);

}  // namespace strata::cli
