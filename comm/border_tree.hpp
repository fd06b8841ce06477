// SPDX-License-Identifier: BSD-3-Clause
// The protocol `tree` for labels of border clusters: borders are resolved at the same time, then what connects them
// along a binary tree of ranks, in 2 + 2 ceil(log2 ranks) rounds.
#pragma once

#include <cstdint>
#include <vector>

#include "comm/border_clusters.hpp"
#include "comm/cluster_sets.hpp"
#include "comm/communicator.hpp"

namespace strata {

/// The memory of a rank for the protocol, which is used again by every resolution.
class BorderTree {
  public:
    /// Assigns to every border cluster the smallest label of all clusters that it is connected to. Collective.
    ResolutionCost resolve(const Communicator& comm, BorderClusters& clusters);

  private:
    /// The clusters of the previous rank at the border to it.
    struct Neighbour {
        std::vector<std::uint32_t> bond;     ///< [active bond across the border] cluster
        std::vector<BorderLabel> label;      ///< [cluster] its label
        std::vector<std::uint32_t> through;  ///< clusters that touch both borders of the slab
    };

    void exchange_sides(const Communicator& comm, const BorderClusters& clusters, ResolutionCost& cost);

    Numbering through_;  ///< own clusters that touch both borders
    Neighbour previous_;
    ClusterSets sets_;    ///< clusters of the previous rank at the common border, then all own border clusters
    Numbering in_block_;  ///< sets that the tree resolves
    std::vector<BorderLabel> of_previous_;
};

}  // namespace strata
