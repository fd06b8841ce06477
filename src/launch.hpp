// SPDX-License-Identifier: BSD-3-Clause
// The verbs of the program.
#pragma once

#include <string>

#include "cli/arguments.hpp"
#include "comm/communicator.hpp"

namespace strata {

/// Does what the command line says. Returns the exit code; throws CollectiveError on all ranks. `start` is
/// monotonic_seconds() when the program began, `command_line` is kept with the results.
int launch(const Communicator& comm, const cli::Arguments& arguments, const std::string& command_line, double start);

}  // namespace strata
