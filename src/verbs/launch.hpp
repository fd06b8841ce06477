// SPDX-License-Identifier: BSD-3-Clause
// Dispatch of the command-line verbs (run, resume, plan, show, keys, selftest, version).
#pragma once

#include <optional>
#include <string>

#include "cli/arguments.hpp"
#include "comm/communicator.hpp"

namespace strata {

/// Executes the verb of the command line. Returns the exit code; throws CollectiveError on all ranks. `start` is
/// monotonic_seconds() at program start; `command_line` is stored with the results. Collective.
int launch(const Communicator& comm, const cli::Arguments& arguments, const std::string& command_line, double start);

/// Executes a verb that only prints, or refuses a wrong job, without MPI, unless a launcher has started this process.
/// Returns the exit code, or nothing if the command line needs MPI. Starting MPI takes several times as long as most of
/// these verbs, and login nodes of clusters may refuse it.
std::optional<int> print_without_mpi(int argc, const char* const* argv, double start);

}  // namespace strata
