// SPDX-License-Identifier: BSD-3-Clause
// The life of an MPI program: initialise, run, leave with one code on all ranks, or end all ranks with a sentence.
#pragma once

#include <functional>
#include <string>

#include "comm/communicator.hpp"

namespace strata {

/// Runs `body` between MPI_Init_thread(FUNNELED) and MPI_Finalize and returns the exit code of the process.
/// An CollectiveError ends all ranks quietly with its code after rank 0 printed it. Any other exception on one rank is
/// printed as "[rank r host] sentence" and aborts all ranks with a non-zero code.
int mpi_session(int& argc, char**& argv, const std::function<int(const Communicator&)>& body);

/// From now on mpi_session ends this rank by MPI_Abort with its code instead of MPI_Finalize, unless the code is 0: a
/// library that takes part in finalising is known to be in a broken state.
void distrust_finalize();

/// Name of this node.
std::string host_name();
/// MPI library and its version, e.g. "Open MPI 4.1.4".
std::string mpi_library();

}  // namespace strata
