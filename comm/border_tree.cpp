// SPDX-License-Identifier: BSD-3-Clause
// Resolution of border labels along a binary tree of ranks. A block of consecutive ranks is described by its two outer
// borders only: the cluster at each active bond, and the smallest label of each of these clusters so far. Two
// neighbouring blocks are united along their common border; the labels of clusters that no longer touch an outer border
// are final. At the root of the tree the ring is closed, and the final labels are sent down the tree.
#include "comm/label_ownership.hpp"

#include <algorithm>
#include <numeric>
#include <span>

#include "comm/collectives.hpp"
#include "comm/tags.hpp"

namespace strata {
namespace {

constexpr std::uint32_t none = UINT32_MAX;

/// The border clusters of consecutive ranks.
struct Block {
    std::vector<BorderLabel> label;    ///< [cluster] smallest label so far
    std::vector<std::uint32_t> first;  ///< [active bond across the first border] cluster
    std::vector<std::uint32_t> last;   ///< [active bond across the last border] cluster
};

/// Sends the length of a list, then the list, and adds its bytes to `cost`.
template <class T>
void send(const Communicator& comm, int to, const std::vector<T>& items, ResolutionCost& cost) {
    const std::uint64_t count = items.size();
    Exchange<Cpu> exchange(comm);
    exchange.plan_send(to, tag::border_tree, &count, sizeof count);
    exchange.plan_send(to, tag::border_tree, items.data(), count * sizeof(T));
    exchange.start();
    exchange.finish();
    cost.bytes += count * sizeof(T);
}

/// Receives a list of any length.
template <class T>
std::vector<T> receive(const Communicator& comm, int from) {
    const auto get = [&](void* data, std::size_t bytes) {
        Exchange<Cpu> exchange(comm);
        exchange.plan_receive(from, tag::border_tree, data, bytes);
        exchange.start();
        exchange.finish();
    };
    std::uint64_t count = 0;
    get(&count, sizeof count);
    std::vector<T> items(count);
    get(items.data(), count * sizeof(T));
    return items;
}

/// Disjoint sets of clusters. The label of a set is the smallest label of its members.
class ClusterSets {
  public:
    explicit ClusterSets(std::vector<BorderLabel> labels) : label_(std::move(labels)), parent_(label_.size()) {
        std::iota(parent_.begin(), parent_.end(), std::uint32_t{0});
    }
    /// Root of the set of a cluster; paths are halved on the way.
    std::uint32_t find(std::uint32_t cluster) {
        while (parent_[cluster] != cluster) cluster = parent_[cluster] = parent_[parent_[cluster]];
        return cluster;
    }
    /// The set with the smaller label becomes the root.
    void unite(std::uint32_t a, std::uint32_t b) {
        a = find(a);
        b = find(b);
        if (a == b) return;
        if (label_[b] < label_[a]) std::swap(a, b);
        parent_[b] = a;
    }
    /// Unites the clusters on the two sides of each active bond of a border.
    void unite_along(const std::vector<std::uint32_t>& a, std::uint32_t offset_a, const std::vector<std::uint32_t>& b,
                     std::uint32_t offset_b) {
        if (a.size() != b.size())
            throw Error(ExitCode::internal, "Two ranks disagree about the bonds of their common border.");
        for (std::size_t i = 0; i < a.size(); ++i) unite(offset_a + a[i], offset_b + b[i]);
    }
    BorderLabel label(std::uint32_t cluster) { return label_[find(cluster)]; }
    std::uint32_t size() const { return static_cast<std::uint32_t>(label_.size()); }

  private:
    std::vector<BorderLabel> label_;
    std::vector<std::uint32_t> parent_;
};

/// The union of two neighbouring blocks, with the map from their clusters to its own.
class UnitedBlock {
  public:
    UnitedBlock(const Block& left, const Block& right)
        : sets_(both_labels(left, right)), left_clusters_(left.label.size()) {
        const auto offset = static_cast<std::uint32_t>(left_clusters_);
        sets_.unite_along(left.last, 0, right.first, offset);
        index_.assign(sets_.size(), none);
        block_.first = renumbered(left.first, 0);
        block_.last = renumbered(right.last, offset);
    }
    const Block& block() const { return block_; }

    /// Final labels of the clusters of the left and then of the right block, given those of the united block.
    std::vector<BorderLabel> labels_below(const std::vector<BorderLabel>& final_labels) {
        std::vector<BorderLabel> below(sets_.size());
        for (std::uint32_t c = 0; c < sets_.size(); ++c) {
            const std::uint32_t index = index_[sets_.find(c)];
            below[c] = index == none ? sets_.label(c) : final_labels[index];
        }
        return below;
    }
    std::size_t left_clusters() const { return left_clusters_; }

  private:
    static std::vector<BorderLabel> both_labels(const Block& left, const Block& right) {
        std::vector<BorderLabel> labels = left.label;
        labels.insert(labels.end(), right.label.begin(), right.label.end());
        return labels;
    }
    /// Maps the clusters `sites` of an outer border to clusters of the united block, which are appended in the order of
    /// first appearance.
    std::vector<std::uint32_t> renumbered(std::vector<std::uint32_t> sites, std::uint32_t offset) {
        for (std::uint32_t& cluster : sites) {
            const std::uint32_t root = sets_.find(offset + cluster);
            if (index_[root] == none) {
                index_[root] = static_cast<std::uint32_t>(block_.label.size());
                block_.label.push_back(sets_.label(root));
            }
            cluster = index_[root];
        }
        return sites;
    }

    ClusterSets sets_;
    std::vector<std::uint32_t> index_;  ///< [set] its cluster in the united block, or none
    Block block_;
    std::size_t left_clusters_;
};

/// Final labels of the block of all ranks, whose last border meets its first one.
std::vector<BorderLabel> close_ring(const Block& ring) {
    ClusterSets sets(ring.label);
    sets.unite_along(ring.last, 0, ring.first, 0);
    std::vector<BorderLabel> labels(sets.size());
    for (std::uint32_t c = 0; c < sets.size(); ++c) labels[c] = sets.label(c);
    return labels;
}

/// Final labels of `block`, which contains `width` ranks beginning with this one. At each level of the tree the block
/// is united with the block to its right, or sent to the first rank of the block to its left.
std::vector<BorderLabel> final_labels(const Communicator& comm, const Block& block, int width, ResolutionCost& cost) {
    if (width >= comm.size()) return close_ring(block);
    cost.rounds += 2;
    if (comm.rank() / width % 2 == 1) {
        const int leader = comm.rank() - width;
        send(comm, leader, block.label, cost);
        send(comm, leader, block.first, cost);
        send(comm, leader, block.last, cost);
        return receive<BorderLabel>(comm, leader);
    }
    const int partner = comm.rank() + width;
    if (partner >= comm.size()) return final_labels(comm, block, 2 * width, cost);
    Block right;
    right.label = receive<BorderLabel>(comm, partner);
    right.first = receive<std::uint32_t>(comm, partner);
    right.last = receive<std::uint32_t>(comm, partner);
    UnitedBlock both(block, right);
    std::vector<BorderLabel> labels = both.labels_below(final_labels(comm, both.block(), 2 * width, cost));
    const auto split = labels.begin() + static_cast<std::ptrdiff_t>(both.left_clusters());
    send(comm, partner, std::vector<BorderLabel>(split, labels.end()), cost);
    labels.erase(split, labels.end());
    return labels;
}

}  // namespace

ResolutionCost resolve_by_tree(const Communicator& comm, BorderClusters& clusters) {
    ResolutionCost cost;
    clusters.label = final_labels(comm, {clusters.label, clusters.to_previous, clusters.to_next}, 1, cost);
    return cost;
}

}  // namespace strata
