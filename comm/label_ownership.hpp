// SPDX-License-Identifier: BSD-3-Clause
// Clusters that cross the borders between slices (Wende & Steinke, SC13, section 4.2, Listing 6). After each rank has
// labelled its own slice, labels are minimised: rank r's n_r labels become the contiguous global range it owns, by a
// scan over n_r, and stay 32-bit numbers within the rank. Then ranks exchange labels across the bonded sites of their
// borders and re-point their own labels to smaller ones, until an all-reduce sees no change.
//
// A label that crosses ranks is 64 bits wide and carries its cluster's colour (Ising: the coin) in its low byte, so
// whoever ends with a label also knows its colour and nobody has to ask the owner.
#pragma once

#include <cstdint>
#include <vector>

#include "comm/communicator.hpp"
#include "strata/partition.hpp"

namespace strata {

/// Global label << 8 | colour. Ordered by label: colours of equal labels are equal.
using ColouredLabel = std::uint64_t;

constexpr ColouredLabel coloured(std::uint64_t label, std::uint8_t colour) { return label << 8 | colour; }
constexpr std::uint64_t label_of(ColouredLabel label) { return label >> 8; }
constexpr std::uint8_t colour_of(ColouredLabel label) { return static_cast<std::uint8_t>(label); }

/// The contiguous ranges of global labels that the ranks own, in rank order.
class LabelOwnership {
  public:
    /// Minimises the labels: this rank has `own_labels` of them, numbered 0 .. own_labels - 1 locally. Collective.
    LabelOwnership(const Communicator& comm, std::uint64_t own_labels);

    Range own() const { return own_; }
    std::uint64_t global(std::uint32_t local) const { return own_.first + local; }
    std::uint32_t local(std::uint64_t global) const { return static_cast<std::uint32_t>(global - own_.first); }
    int owner(std::uint64_t global) const;

  private:
    std::vector<std::uint64_t> last_;  ///< end of each rank's range
    Range own_;
};

/// The clusters of one slice that have a bonded site on a border. Sites are listed in the order of their position along
/// the border, which is the same on both sides of it; both sides know which sites are bonded.
struct BorderClusters {
    std::vector<std::uint32_t> root;         ///< [cluster] local label of its root
    std::vector<ColouredLabel> label;        ///< [cluster] global label: at first its own root's, at last the cluster's
    std::vector<std::uint32_t> to_previous;  ///< [bonded site on the border to the previous rank] its cluster
    std::vector<std::uint32_t> to_next;      ///< [bonded site on the border to the next rank] its cluster
};

enum class MergeProtocol { exchange, tree };

/// What a resolution cost this rank.
struct MergeCost {
    int rounds = 0;           ///< exchanges with neighbours (exchange), or levels up and down (tree)
    std::uint64_t bytes = 0;  ///< sent
};

/// Gives every border cluster the smallest label of all clusters it is bonded to, on all ranks of the ring.
///   exchange: neighbours tell each other changed labels until nobody has one; as many rounds as a cluster winds
///             through slices.
///   tree:     pairs of neighbouring blocks of ranks merge their border graphs, keeping only what touches the outer
///             borders; 2 ceil(log2 ranks) rounds whatever the clusters look like.
/// Both give the same labels. Collective; with one rank the ring is closed in itself.
MergeCost resolve(const Communicator& comm, MergeProtocol protocol, BorderClusters& clusters);

/// An amount that belongs to a cluster, e.g. its sites.
struct LabelAmount {
    std::uint64_t label;  ///< global
    std::uint64_t amount;
};

/// Hands the amounts of border clusters whose label another rank owns to that rank: amount[cluster] becomes 0 for them.
/// Returns what other ranks hand over for labels owned here. Collective.
std::vector<LabelAmount> send_to_owners(const Communicator& comm, const LabelOwnership& ownership,
                                        const BorderClusters& clusters, std::vector<std::uint64_t>& amount);

}  // namespace strata
