// SPDX-License-Identifier: BSD-3-Clause
// Evaluation of the conditions under which keys apply (Key::conditions); no other file evaluates them.
#pragma once

#include <string>

#include "cli/input_errors.hpp"
#include "strata/config.hpp"

namespace strata::cli {

/// The conditions of a key as text, e.g. "run.task = states and run.states >= 2"; empty if it always applies.
std::string condition_text(const Key& key);

/// True if the key applies to this job.
bool applies(const Config& config, const Key& key);

/// The sentence against a key that was given where it does not apply; empty if it applies. Throws Error(internal) if a
/// condition names a key that the application does not declare.
std::string misuse(const Config& config, const Key& key);

/// Adds an error for every key that was given where it does not apply, and for every key that is missing where it must
/// be given.
void check_applicability(const Config& config, InputErrors& errors);

}  // namespace strata::cli
