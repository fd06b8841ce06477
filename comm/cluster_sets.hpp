// SPDX-License-Identifier: BSD-3-Clause
// Disjoint sets of clusters with labels, and numberings of some of many clusters or sets. Both are reset instead of
// constructed anew where they are large: fresh pages of memory would take as long as the unions.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "comm/border_clusters.hpp"
#include "strata/error.hpp"

namespace strata {

/// Disjoint sets of clusters: a forest in which no parent exceeds its children. First unite(), then settle(), which gives
/// each set the smallest label of its clusters, then the others.
class ClusterSets {
  public:
    ClusterSets() = default;
    ClusterSets(std::span<const BorderLabel> first, std::span<const BorderLabel> second) { reset(first, second); }
    /// Every cluster becomes a set; the labels are those of two lists of clusters.
    void reset(std::span<const BorderLabel> first, std::span<const BorderLabel> second) {
        label_.assign(first.begin(), first.end());
        label_.insert(label_.end(), second.begin(), second.end());
        parent_.resize(label_.size());
        std::iota(parent_.begin(), parent_.end(), std::uint32_t{0});
    }
    /// Rem's algorithm (E. W. Dijkstra, A Discipline of Programming, 1976): the larger parent is replaced by the smaller.
    void unite(std::uint32_t a, std::uint32_t b) {
        while (parent_[a] != parent_[b]) {
            if (parent_[a] < parent_[b]) std::swap(a, b);
            const std::uint32_t up = std::exchange(parent_[a], parent_[b]);
            if (up == a) return;
            a = up;
        }
    }
    /// Unites a[i] and b[i] for every i, the clusters on the two sides of a bond or the two sets that a cluster touches.
    /// Neighbouring bonds often connect the same two clusters.
    void unite_along(const std::vector<std::uint32_t>& a, std::uint32_t offset_a, const std::vector<std::uint32_t>& b,
                     std::uint32_t offset_b) {
        if (a.size() != b.size())
            throw Error(ExitCode::internal, "Two ranks disagree about the bonds of their common border.");
        for (std::size_t i = 0; i < a.size(); ++i)
            if (i == 0 || a[i] != a[i - 1] || b[i] != b[i - 1]) unite(offset_a + a[i], offset_b + b[i]);
    }
    /// Labels go down to the roots in descending order, then every cluster gets its root as its parent in ascending order.
    void settle() {
        for (std::uint32_t c = size(); c-- > 0;) label_[parent_[c]] = std::min(label_[parent_[c]], label_[c]);
        for (std::uint32_t c = 0; c < size(); ++c) parent_[c] = parent_[parent_[c]];
    }
    /// The first cluster of the set of a cluster.
    std::uint32_t root(std::uint32_t cluster) const { return parent_[cluster]; }
    /// Label of the set of a cluster.
    BorderLabel label(std::uint32_t cluster) const { return label_[parent_[cluster]]; }
    void set_label(std::uint32_t root, BorderLabel label) { label_[root] = label; }
    std::uint32_t size() const { return static_cast<std::uint32_t>(label_.size()); }

  private:
    std::vector<BorderLabel> label_;
    std::vector<std::uint32_t> parent_;
};

/// Some of a number of clusters or sets, numbered in the order of their first appearance.
class Numbering {
  public:
    Numbering() = default;
    explicit Numbering(std::size_t clusters) { reset(clusters); }
    void reset(std::size_t clusters) {
        number_.assign(clusters, none);
        clusters_.clear();
    }
    /// The number of a cluster, which gets the next one if it has none.
    std::uint32_t operator()(std::uint32_t cluster) {
        if (number_[cluster] == none) {
            number_[cluster] = static_cast<std::uint32_t>(clusters_.size());
            clusters_.push_back(cluster);
        }
        return number_[cluster];
    }
    /// [number] cluster
    const std::vector<std::uint32_t>& clusters() const { return clusters_; }

  private:
    static constexpr std::uint32_t none = UINT32_MAX;
    std::vector<std::uint32_t> number_, clusters_;
};

}  // namespace strata
