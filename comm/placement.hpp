// SPDX-License-Identifier: BSD-3-Clause
// Where the ranks sit: ranks per node and the cores each may use, from which the number of threads follows.
#pragma once

#include <string>

#include "comm/communicator.hpp"

namespace strata {

struct Placement {
    int nodes = 1;
    int ranks_on_node = 1;
    int local_rank = 0;
    int cores = 1;          ///< cores this rank's threads may use
    int cores_on_node = 1;  ///< cores all ranks of this node may use together
};

/// Collective. Cores are those of the affinity mask; ranks that share one mask share its cores evenly.
Placement find_placement(const Communicator& comm);

/// Threads for a rank: `requested`, or if that is 0 the cores the rank may use (the least over all ranks). Collective.
int threads_per_rank(const Communicator& comm, const Placement& placement, int requested);

/// A sentence for the user if the ranks of this node hold more threads than cores; empty otherwise.
std::string oversubscription(const Placement& placement, int threads);

}  // namespace strata
