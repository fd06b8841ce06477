// SPDX-License-Identifier: BSD-3-Clause
// Clusters that cross the borders between slabs (Wende and Steinke, SC13, section 4.2, Listing 6). After each rank has
// labelled its own slab, a scan over the numbers n_r of labels maps the local labels 0 .. n_r - 1 of rank r to a
// contiguous global range that it owns; local labels remain 32-bit numbers. Then the ranks exchange the labels of
// clusters with active bonds across their borders and assign to each cluster the smallest label of all its parts.
//
// A label that crosses ranks is 64 bits wide. Its low byte is a payload that belongs to the label (the random spin of
// an Ising cluster), so that a rank receives it together with the label. Its highest bit orders two kinds of labels: a
// cluster with any preferred label gets the smallest one of these (an Ising cluster that is bound to the ghost spin).
#pragma once

#include <cstdint>
#include <vector>

#include "comm/communicator.hpp"
#include "strata/partition.hpp"

namespace strata {

/// Bit 63: not preferred; then global label << 8 | payload. Border labels of one kind have the order of the labels,
/// because equal labels have equal payloads.
using BorderLabel = std::uint64_t;

enum class Preference : std::uint8_t { preferred, none };

constexpr BorderLabel border_label(std::uint64_t label, std::uint8_t payload,
                                   Preference preference = Preference::none) {
    return BorderLabel{preference == Preference::none} << 63 | label << 8 | payload;
}
constexpr std::uint64_t label_of(BorderLabel label) { return label << 1 >> 9; }
constexpr std::uint8_t payload_of(BorderLabel label) { return static_cast<std::uint8_t>(label); }

/// The contiguous ranges of global labels that the ranks own, in rank order.
class LabelOwnership {
  public:
    /// `own_labels`: number of local labels of this rank, which are 0 .. own_labels - 1. Collective.
    LabelOwnership(const Communicator& comm, std::uint64_t own_labels);

    /// Global labels that this rank owns.
    Range own() const { return own_; }
    std::uint64_t global(std::uint32_t local) const { return own_.first + local; }
    std::uint32_t local(std::uint64_t global) const { return static_cast<std::uint32_t>(global - own_.first); }
    /// The rank that owns a global label.
    int owner(std::uint64_t global) const;

  private:
    std::vector<std::uint64_t> last_;  ///< [rank] end of its range
    Range own_;
};

/// The clusters of one slab that have an active bond across a border. Bonds are listed in the order of their sites
/// along the border, which is the same on both sides; both ranks draw the same bonds.
struct BorderClusters {
    std::vector<std::uint32_t> root;  ///< [cluster] local label of its root
    /// [cluster] label of its root in this slab; after resolve() the label of the whole cluster.
    std::vector<BorderLabel> label;
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
    /// Exchanges with neighbours (exchange), or messages up and down the tree (tree).
    int rounds = 0;
    std::uint64_t bytes = 0;  ///< bytes sent
};

/// The protocol `tree` of resolve(), in border_tree.cpp: borders are resolved at the same time, then what connects them
/// along a binary tree of ranks, in 2 + 2 ceil(log2 ranks) rounds. Collective.
ResolutionCost resolve_by_tree(const Communicator& comm, BorderClusters& clusters);

/// Assigns to every border cluster the smallest border label of all clusters that it is connected to, on all ranks of the
/// ring.
///   exchange: neighbours send each other the labels that have changed until an all-reduce finds no change; the number
///             of rounds grows with the number of borders between a part of a cluster and its smallest label.
///   tree:     every border unites the clusters of its two slabs; then pairs of neighbouring blocks of borders are united
///             along the clusters that touch two borders; 2 + 2 ceil(log2 ranks) rounds for any clusters.
/// Both give the same labels. Collective; a single rank is its own neighbour.
ResolutionCost resolve(const Communicator& comm, LabelProtocol protocol, BorderClusters& clusters);

/// A quantity of a cluster that is summed over its parts, e.g. the number of sites.
struct LabelAmount {
    std::uint64_t label;  ///< global label of the cluster
    std::uint64_t amount;
};

/// Sends the amounts of border clusters whose label is not that of their own root to the owner of the label, and sets
/// amount[cluster] to 0 for them. Returns the amounts received for labels that this rank owns. Collective.
std::vector<LabelAmount> send_to_owners(const Communicator& comm, const LabelOwnership& ownership,
                                        const BorderClusters& clusters, std::vector<std::uint64_t>& amount);

}  // namespace strata
