// SPDX-License-Identifier: BSD-3-Clause
// The outputs of an application: quantities of the result table, columns of the series, figures of performance and
// arrays of checkpoints, with units and definitions. They are not written down anywhere else: small sample jobs of the
// application run, and what they return is listed.
#pragma once

#include "cli/arguments.hpp"
#include "run/preflight.hpp"

namespace strata {

/// Prints, as a table or as JSON, the outputs of an application whose name or meaning contains a word, each with the
/// keys of the sample that has it first. Throws Error(bad_input) if there are none. Runs on this rank alone.
void print_outputs(const cli::Arguments& arguments, const Invocation& invocation);

}  // namespace strata
