// SPDX-License-Identifier: BSD-3-Clause
// Test program in which rank 1 fails alone while the others wait for it in a collective call.
#include "comm/collectives.hpp"
#include "comm/session.hpp"

int main(int argc, char** argv) {
    return strata::mpi_session(argc, argv, [](const strata::Communicator& comm) -> int {
        if (comm.rank() == 1) throw strata::Error(strata::ExitCode::file, "the disk is on fire");
        return static_cast<int>(strata::all_sum(comm, 1));
    });
}
