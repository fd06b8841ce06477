// SPDX-License-Identifier: BSD-3-Clause
// Start and end of an MPI program: initialise, run, exit with one code on all ranks, or abort all ranks with a
// sentence.
#pragma once

#include <functional>
#include <string>

#include "comm/communicator.hpp"

namespace strata {

/// Runs `body` between MPI_Init_thread(FUNNELED) and MPI_Finalize and returns the exit code of the process.
/// A CollectiveError, which all ranks throw, is printed by rank 0 and ends all ranks with its code. Any other exception
/// on one of several ranks, in any of its threads, is printed as "[rank r host] sentence" and aborts all ranks with its
/// code where it is thrown, without unwinding the stack, unless a handler on the way takes it.
int mpi_session(int& argc, char**& argv, const std::function<int(const Communicator&)>& body);

/// True if mpirun, srun or another launcher started this process as one of its ranks.
bool started_by_launcher();

/// Name of this node.
std::string host_name();
/// MPI library and its version, e.g. "Open MPI 4.1.4".
std::string mpi_library();

}  // namespace strata
