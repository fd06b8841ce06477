// SPDX-License-Identifier: BSD-3-Clause
// Placement of the ranks: ranks per node and the cores that each may use, which determine the number of threads.
#pragma once

#include <string>

#include "comm/communicator.hpp"

namespace strata {

struct Placement {
    int nodes = 1;
    int ranks_on_node = 1;
    int local_rank = 0;
    int cores = 1;          ///< cores that this rank's threads may use
    int cores_on_node = 1;  ///< cores that all ranks of this node may use together
};

/// Cores are read from the affinity mask; ranks with the same mask divide its cores evenly. Collective.
Placement find_placement(const Communicator& comm);

/// Threads of every rank: `requested`, or if that is 0 the smallest number of cores that any rank may use. Throws
/// CollectiveError(bad_input) for more threads than a node has processors, which would wait for each other without end.
/// Collective.
int threads_per_rank(const Communicator& comm, const Placement& placement, int requested);

/// A sentence for the user if the ranks of this node have more threads than cores; empty otherwise.
std::string oversubscription(const Placement& placement, int threads);

}  // namespace strata
