// SPDX-License-Identifier: BSD-3-Clause
// Clusters that cross the borders between slabs (Wende and Steinke, SC13, section 4.2, Listing 6). After each rank has
// labelled its own slab, the labels are made contiguous: the labels 0 .. n_r - 1 of rank r become the global range that
// it owns, by a scan over n_r, and stay 32-bit numbers within the rank. Then the ranks exchange the labels of clusters
// with active bonds across their borders and give each cluster the smallest label of all its parts.
//
// A label that crosses ranks is 64 bits wide. Its low byte is a payload that belongs to the label (the random spin of
// an Ising cluster), so that a rank that receives a label has it without another message.
#pragma once

#include <cstdint>
#include <vector>

#include "comm/communicator.hpp"
#include "strata/partition.hpp"

namespace strata {

/// Global label << 8 | payload. The order is that of the labels, because equal labels have equal payloads.
using BorderLabel = std::uint64_t;

constexpr BorderLabel border_label(std::uint64_t label, std::uint8_t payload) { return label << 8 | payload; }
constexpr std::uint64_t label_of(BorderLabel label) { return label >> 8; }
constexpr std::uint8_t payload_of(BorderLabel label) { return static_cast<std::uint8_t>(label); }

/// The contiguous ranges of global labels that the ranks own, in rank order.
class LabelOwnership {
  public:
    /// Makes the labels contiguous over the ranks: this rank has the local labels 0 .. own_labels - 1. Collective.
    LabelOwnership(const Communicator& comm, std::uint64_t own_labels);

    /// Global labels that this rank owns.
    Range own() const { return own_; }
    std::uint64_t global(std::uint32_t local) const { return own_.first + local; }
    std::uint32_t local(std::uint64_t global) const { return static_cast<std::uint32_t>(global - own_.first); }
    /// The rank that owns a global label.
    int owner(std::uint64_t global) const;

  private:
    std::vector<std::uint64_t> last_;  ///< end of each rank's range
    Range own_;
};

/// The clusters of one slab that have an active bond across a border. Bonds are listed in the order of their sites
/// along the border, which is the same on both sides; both sides have drawn the same bonds.
struct BorderClusters {
    std::vector<std::uint32_t> root;  ///< [cluster] local label of its root
    std::vector<BorderLabel> label;   ///< [cluster] label of its own root; after resolve() that of the whole cluster
    std::vector<std::uint32_t> to_previous;  ///< [active bond to the previous rank] cluster on this side of it
    std::vector<std::uint32_t> to_next;      ///< [active bond to the next rank] cluster on this side of it

    std::size_t count() const { return root.size(); }
    void clear();
    /// Appends a cluster and returns its index.
    std::uint32_t add(std::uint32_t local_root, BorderLabel root_label);
};

enum class LabelProtocol { exchange, tree };

/// Communication of this rank in one resolution.
struct ResolutionCost {
    int rounds = 0;           ///< exchanges with neighbours (exchange), or levels up and down (tree)
    std::uint64_t bytes = 0;  ///< bytes sent
};

/// The protocol `tree` of resolve(), border_tree.cpp: border graphs are contracted along a binary tree of ranks, in
/// 2 ceil(log2 ranks) rounds.
ResolutionCost resolve_by_tree(const Communicator& comm, BorderClusters& clusters);

/// Gives every border cluster the smallest label of all clusters that it is bonded to, on all ranks of the ring.
///   exchange: neighbours send each other the labels that have changed until an all-reduce finds no change; the number
///             of rounds is the number of times that a cluster winds through slabs.
///   tree:     pairs of neighbouring blocks of ranks unite their border graphs and keep only the clusters on the outer
///             borders; 2 ceil(log2 ranks) rounds for any clusters.
/// Both give the same labels. Collective; with one rank the ring is closed in itself.
ResolutionCost resolve(const Communicator& comm, LabelProtocol protocol, BorderClusters& clusters);

/// An amount that belongs to a cluster, e.g. its sites.
struct LabelAmount {
    std::uint64_t label;  ///< global label of the cluster
    std::uint64_t amount;
};

/// Sends the amounts of border clusters whose label another rank owns to that rank; amount[cluster] becomes 0 for them.
/// Returns the amounts that other ranks have sent for labels of this rank. Collective.
std::vector<LabelAmount> send_to_owners(const Communicator& comm, const LabelOwnership& ownership,
                                        const BorderClusters& clusters, std::vector<std::uint64_t>& amount);

}  // namespace strata
