// SPDX-License-Identifier: BSD-3-Clause
// The cores that the ranks of a node may use, read from their affinity masks: ranks with equal masks share its cores.
#include "comm/placement.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "comm/collectives.hpp"

namespace strata {
namespace {

using CoreMask = cpu_set_t;

/// Threads per rank that any machine runs, if slowly, so that jobs and tests of larger ones can be tried on it.
constexpr int tried_anywhere = 16;

CoreMask own_mask() {
    CoreMask mask;
    CPU_ZERO(&mask);
    sched_getaffinity(0, sizeof mask, &mask);
    if (CPU_COUNT(&mask) == 0) CPU_SET(0, &mask);
    return mask;
}

}  // namespace

Placement find_placement(const Communicator& comm) {
    const Communicator node = comm.on_node();
    const CoreMask mine = own_mask();
    std::vector<CoreMask> masks(static_cast<std::size_t>(node.size()));
    check_mpi(MPI_Allgather(&mine, sizeof mine, MPI_BYTE, masks.data(), sizeof mine, MPI_BYTE, node.raw()));
    int sharing = 0;
    CoreMask together;
    CPU_ZERO(&together);
    for (const CoreMask& mask : masks) {
        sharing += CPU_EQUAL(&mask, &mine) ? 1 : 0;
        CPU_OR(&together, &together, &mask);
    }
    Placement p;
    p.nodes = static_cast<int>(all_sum(comm, node.is_root() ? 1 : 0));
    p.ranks_on_node = node.size();
    p.local_rank = node.rank();
    p.cores = std::max(1, CPU_COUNT(&mine) / sharing);
    p.cores_on_node = CPU_COUNT(&together);
    return p;
}

int threads_per_rank(const Communicator& comm, const Placement& placement, int requested) {
    if (requested == 0) return static_cast<int>(all_min(comm, static_cast<std::uint64_t>(placement.cores)));
    const auto processors =
        static_cast<int>(all_min(comm, static_cast<std::uint64_t>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)))));
    if (requested > std::max(processors, tried_anywhere))
        throw CollectiveError(ExitCode::bad_input,
                              "backend.threads = " + std::to_string(requested) +
                                  " is more than a node has processors, which are " + std::to_string(processors) +
                                  "; give as many or fewer, or 0 for the cores that a rank may use.");
    return requested;
}

std::string oversubscription(const Placement& placement, int threads) {
    const int needed = placement.ranks_on_node * threads;
    if (needed <= placement.cores_on_node) return {};
    const auto counted = [](int count, const char* singular) {
        return std::to_string(count) + singular + (count == 1 ? "" : "s");
    };
    return counted(placement.ranks_on_node, " rank") + " x " + counted(threads, " thread") + " share " +
           counted(placement.cores_on_node, " core") +
           " of this node: correct, but slow. mpirun binds ranks to single cores unless --bind-to none is given." +
           (threads > 1 && std::getenv("OMP_WAIT_POLICY") == nullptr
                ? " With OMP_WAIT_POLICY=passive in the environment waiting threads leave the cores to others."
                : "");
}

}  // namespace strata
