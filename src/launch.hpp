// SPDX-License-Identifier: BSD-3-Clause
// Dispatch of the command-line verbs (run, resume, plan, show, keys, selftest, version).
#pragma once

#include <string>

#include "cli/arguments.hpp"
#include "comm/communicator.hpp"

namespace strata {

/// Executes the verb of the command line. Returns the exit code; throws CollectiveError on all ranks. `start` is
/// monotonic_seconds() at program start; `command_line` is stored with the results. Collective.
int launch(const Communicator& comm, const cli::Arguments& arguments, const std::string& command_line, double start);

}  // namespace strata
