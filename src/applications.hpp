// SPDX-License-Identifier: BSD-3-Clause
// The applications of this program: one row each.
#pragma once

#include <string>
#include <vector>

#include "strata/application_entry.hpp"

namespace strata {

/// The rows of this program. A test program that defines this function in one of its own object files has other rows,
/// because the linker then does not take applications.cpp from the library.
std::vector<ApplicationEntry> application_rows();

/// The same rows, computed once.
const std::vector<ApplicationEntry>& applications();

/// The row with that name. Throws Error(bad_input) that suggests the nearest name.
const ApplicationEntry& find_application(const std::string& name);

/// Keys of the application, the optional keys that it supports, and the common keys; a key that the application
/// declares itself, e.g. with a condition, replaces the common key of the same name.
std::vector<Key> all_keys(const ApplicationEntry& entry);

/// Errors that involve several keys, one sentence each: those found by the application, and an instruction set that
/// this processor or build does not have.
std::vector<std::string> validate(const ApplicationEntry& entry, const Config& config);

}  // namespace strata
