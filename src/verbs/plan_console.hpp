// SPDX-License-Identifier: BSD-3-Clause
// `strata plan`: lines for people, or JSON for programs, which holds these lines, too.
#pragma once

#include "cli/arguments.hpp"

namespace strata {

/// Prints the plan of a job or a scan, or the table of several numbers of ranks. Throws Error for bad input, and prints
/// nothing then.
void print_plan(const cli::Arguments& arguments);

}  // namespace strata
