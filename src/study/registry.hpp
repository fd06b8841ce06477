// SPDX-License-Identifier: BSD-3-Clause
// The applications of this program: look-ups in the rows of applications.cpp, or of a test program.
#pragma once

#include <string>
#include <vector>

#include "strata/application_entry.hpp"

namespace strata {

/// The rows of this program, defined by src/applications.cpp beside main; a test program has rows of its own.
std::vector<ApplicationEntry> application_rows();

/// The same rows, computed once.
const std::vector<ApplicationEntry>& applications();

/// The row with that name. Throws Error(bad_input) that suggests the nearest name.
const ApplicationEntry& find_application(const std::string& name);

/// Keys of the application, the optional keys that it supports, and the common keys; a key that the application
/// declares itself, e.g. with a condition, replaces the common key of the same name. A key whose section has names of
/// the user's own is followed by SECTION.NAME, which stands for them.
std::vector<Key> all_keys(const ApplicationEntry& entry);

/// Errors that involve several keys, one sentence each: those found by the application, and an instruction set that
/// this processor or build does not have.
std::vector<std::string> validate(const ApplicationEntry& entry, const Config& config);

}  // namespace strata
