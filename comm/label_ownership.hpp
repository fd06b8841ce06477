// SPDX-License-Identifier: BSD-3-Clause
// Resolution of the labels of border clusters (comm/border_clusters.hpp) between ranks, and sums of their sizes on the
// ranks that own the labels.
#pragma once

#include <cstdint>
#include <vector>

#include "comm/border_clusters.hpp"
#include "comm/border_tree.hpp"
#include "comm/communicator.hpp"

namespace strata {

enum class LabelProtocol { exchange, tree };

/// Assigns to every border cluster the smallest border label of all clusters that it is connected to, on all ranks of the
/// ring.
///   exchange: neighbours send each other the labels that have changed until an all-reduce finds no change; the number
///             of rounds grows with the number of borders between a part of a cluster and its smallest label.
///   tree:     every border unites the clusters of its two slabs; then pairs of neighbouring blocks of borders are united
///             along the clusters that touch two borders; 2 + 2 ceil(log2 ranks) rounds for any clusters.
/// Both give the same labels.
class LabelResolver {
  public:
    LabelResolver(const Communicator& comm, LabelProtocol protocol) : comm_(comm), protocol_(protocol) {}

    /// Collective; a single rank is its own neighbour.
    ResolutionCost resolve(BorderClusters& clusters);

  private:
    const Communicator& comm_;
    const LabelProtocol protocol_;
    BorderTree tree_;
};

/// A quantity of a cluster that is summed over its parts, e.g. the number of sites.
struct LabelAmount {
    std::uint64_t label;  ///< global label of the cluster
    std::uint64_t amount;
};

/// Sends the amounts of border clusters whose label is not that of their own root to the owner of the label, and sets
/// amount[cluster] to 0 for them. Returns the amounts received for labels that this rank owns. Collective.
std::vector<LabelAmount> send_to_owners(const Communicator& comm, const BorderClusters& clusters,
                                        std::vector<std::uint64_t>& amount);

}  // namespace strata
