// SPDX-License-Identifier: BSD-3-Clause
// Test program in which rank 1 fails alone, in the way that its argument names, while it holds memory that its node shares
// and the others wait for it in a collective call.
#include <string>
#include <thread>

#include "comm/collectives.hpp"
#include "comm/node_memory.hpp"
#include "comm/session.hpp"

namespace {

void fail(const std::string& how) {
    if (how == "error") throw strata::Error(strata::ExitCode::file, "the disk is on fire");
    if (how == "memory") throw std::bad_alloc();
    if (how == "thread") std::thread([] { throw std::bad_alloc(); }).join();
    if (how == "other") throw 1;
#pragma omp parallel num_threads(2)
    if (how == "region") throw std::bad_alloc();
}

}  // namespace

int main(int argc, char** argv) {
    return strata::mpi_session(argc, argv, [&](const strata::Communicator& comm) -> int {
        const std::string how = argc > 1 ? argv[1] : "";
        const strata::Node node(comm, strata::Sharing::allowed, 8);
        const strata::NodeBuffer buffer(node, 1);
        if (how == "body")
            strata::collectively(comm, [&] {
                if (comm.rank() == 1) throw std::bad_alloc();
            });
        if (comm.rank() == 1) fail(how);
        return static_cast<int>(strata::all_sum(comm, 1));
    });
}
