// SPDX-License-Identifier: BSD-3-Clause
// Where a key applies: every key declares it (Key::conditions), and this is the one place that reads the declarations.
#pragma once

#include <string>

#include "cli/input_errors.hpp"
#include "strata/config.hpp"

namespace strata::cli {

/// Where a key applies, in words, e.g. "run.task = states and run.states >= 2"; empty: everywhere.
std::string condition_text(const Key& key);

/// True if the key applies to this job.
bool applies(const Config& config, const Key& key);

/// The sentence against a key that was given where it does not apply; empty if it applies. Throws Error(internal) if a
/// condition names a key that the application does not declare.
std::string misuse(const Config& config, const Key& key);

/// A error for every key that was given where it does not apply, and for every one that is missing where it must be
/// given.
void check_applicability(const Config& config, InputErrors& errors);

}  // namespace strata::cli
