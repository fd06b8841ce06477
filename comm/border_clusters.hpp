// SPDX-License-Identifier: BSD-3-Clause
// Clusters that cross the borders between slabs (Wende and Steinke, SC13, section 4.2, Listing 6). After each rank has
// labelled its own slab by 32-bit numbers, its local label l becomes the global label 2^32 rank + l, which the rank owns.
// (The paper numbers labels without gaps by a scan over all ranks, because its global labels have 31 bits.) Then the
// ranks exchange the labels of clusters with active bonds across their borders and assign to each cluster the smallest
// label of all its parts.
//
// A label that crosses ranks is 64 bits wide. Its low byte is a payload that belongs to the label (the random spin of
// an Ising cluster), so that a rank receives it together with the label. Its highest bit orders two kinds of labels: a
// cluster with any preferred label gets the smallest one of these (an Ising cluster that is bound to the ghost spin).
#pragma once

#include <cstdint>
#include <vector>

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

/// The global label of a local label of `rank`, which must be below 2^23; then its rank and its local label.
constexpr std::uint64_t global_label(int rank, std::uint32_t local) {
    return static_cast<std::uint64_t>(rank) << 32 | local;
}
constexpr int owner_of(std::uint64_t global) { return static_cast<int>(global >> 32); }
constexpr std::uint32_t local_label(std::uint64_t global) { return static_cast<std::uint32_t>(global); }

/// The clusters of one slab that have an active bond across a border; those at the border to the next rank come first.
/// Bonds are listed in the order of their sites along the border, which is the same on both sides; both ranks draw the
/// same bonds.
struct BorderClusters {
    std::vector<std::uint32_t> root;  ///< [cluster] local label of its root
    /// [cluster] label of its root in this slab; after resolve() the label of the whole cluster.
    std::vector<BorderLabel> label;
    std::uint32_t at_next = 0;               ///< number of the clusters at the border to the next rank
    std::vector<std::uint32_t> to_previous;  ///< [active bond to the previous rank] cluster on this side of it
    std::vector<std::uint32_t> to_next;      ///< [active bond to the next rank] cluster on this side of it
};

/// Communication of this rank in one resolution of labels.
struct ResolutionCost {
    /// Exchanges with neighbours (exchange), or messages up and down the tree (tree).
    int rounds = 0;
    std::uint64_t bytes = 0;  ///< bytes sent
};

}  // namespace strata
