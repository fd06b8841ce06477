// SPDX-License-Identifier: BSD-3-Clause
// The verb `strata show`: results of one job or scan, of many jobs as one table, and of jobs that still run.
#pragma once

#include "cli/arguments.hpp"

namespace strata {

/// Prints the results of the files; with --watch again and again until the job ends. Throws Error(file).
void show(const cli::Arguments& arguments);

}  // namespace strata
