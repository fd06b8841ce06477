// SPDX-License-Identifier: BSD-3-Clause
// `strata keys`: the keys of applications as a table for people, or as JSON for programs.
#pragma once

#include "cli/arguments.hpp"

namespace strata {

/// Prints the keys of an application, or those about a word, or those that apply where some of them have given values;
/// without an application the list of applications, as JSON with all their keys. Throws Error(bad_input) if no key is
/// left.
void print_keys(const cli::Arguments& arguments);

}  // namespace strata
