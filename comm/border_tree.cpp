// SPDX-License-Identifier: BSD-3-Clause
// A block of consecutive ranks is known to the outside by its two outer borders only: which cluster each bonded site
// belongs to, and each cluster's smallest label so far. Two neighbouring blocks become one by uniting their clusters
// along the common border; clusters that touch no outer border any more are final. The last block closes the ring on
// itself, and the final labels go down the tree again.
#include "comm/border_tree.hpp"

#include <algorithm>
#include <numeric>
#include <span>

#include "comm/collectives.hpp"
#include "comm/tags.hpp"

namespace strata {
namespace {

constexpr std::uint32_t none = UINT32_MAX;

struct Block {
    std::vector<ColouredLabel> label;  ///< [cluster]
    std::vector<std::uint32_t> first;  ///< [bonded site of the first border] cluster
    std::vector<std::uint32_t> last;   ///< [bonded site of the last border] cluster
};

template <class T>
void send(const Communicator& comm, int to, const std::vector<T>& items, MergeCost& cost) {
    const std::uint64_t count = items.size();
    Exchange<Cpu> exchange(comm);
    exchange.plan_send(to, tag::border_tree, &count, sizeof count);
    exchange.plan_send(to, tag::border_tree, items.data(), count * sizeof(T));
    exchange.start();
    exchange.finish();
    cost.bytes += count * sizeof(T);
}

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

/// Disjoint sets of clusters; a set's label is the smallest of its members'.
class ClusterSets {
  public:
    explicit ClusterSets(std::vector<ColouredLabel> labels) : label_(std::move(labels)), parent_(label_.size()) {
        std::iota(parent_.begin(), parent_.end(), std::uint32_t{0});
    }
    std::uint32_t find(std::uint32_t cluster) {
        while (parent_[cluster] != cluster) cluster = parent_[cluster] = parent_[parent_[cluster]];
        return cluster;
    }
    void unite(std::uint32_t a, std::uint32_t b) {
        a = find(a);
        b = find(b);
        if (a == b) return;
        if (label_[b] < label_[a]) std::swap(a, b);
        parent_[b] = a;
    }
    void unite_along(const std::vector<std::uint32_t>& a, std::uint32_t offset_a, const std::vector<std::uint32_t>& b,
                     std::uint32_t offset_b) {
        if (a.size() != b.size())
            throw Error(ExitCode::internal, "Two ranks disagree about the bonds of their common border.");
        for (std::size_t i = 0; i < a.size(); ++i) unite(offset_a + a[i], offset_b + b[i]);
    }
    ColouredLabel label(std::uint32_t cluster) { return label_[find(cluster)]; }
    std::uint32_t size() const { return static_cast<std::uint32_t>(label_.size()); }

  private:
    std::vector<ColouredLabel> label_;
    std::vector<std::uint32_t> parent_;
};

/// Two blocks made one, with the way back from its clusters to theirs.
class Join {
  public:
    Join(const Block& left, const Block& right) : sets_(both_labels(left, right)), left_clusters_(left.label.size()) {
        const auto offset = static_cast<std::uint32_t>(left_clusters_);
        sets_.unite_along(left.last, 0, right.first, offset);
        number_.assign(sets_.size(), none);
        block_.first = renumbered(left.first, 0);
        block_.last = renumbered(right.last, offset);
    }
    const Block& block() const { return block_; }

    /// Final labels of the left and right block's clusters, one after the other, given those of the joint block.
    std::vector<ColouredLabel> labels_below(const std::vector<ColouredLabel>& final_labels) {
        std::vector<ColouredLabel> below(sets_.size());
        for (std::uint32_t c = 0; c < sets_.size(); ++c) {
            const std::uint32_t number = number_[sets_.find(c)];
            below[c] = number == none ? sets_.label(c) : final_labels[number];
        }
        return below;
    }
    std::size_t left_clusters() const { return left_clusters_; }

  private:
    static std::vector<ColouredLabel> both_labels(const Block& left, const Block& right) {
        std::vector<ColouredLabel> labels = left.label;
        labels.insert(labels.end(), right.label.begin(), right.label.end());
        return labels;
    }
    std::vector<std::uint32_t> renumbered(std::vector<std::uint32_t> sites, std::uint32_t offset) {
        for (std::uint32_t& cluster : sites) {
            const std::uint32_t root = sets_.find(offset + cluster);
            if (number_[root] == none) {
                number_[root] = static_cast<std::uint32_t>(block_.label.size());
                block_.label.push_back(sets_.label(root));
            }
            cluster = number_[root];
        }
        return sites;
    }

    ClusterSets sets_;
    std::vector<std::uint32_t> number_;  ///< [set] its cluster in the joint block, or none
    Block block_;
    std::size_t left_clusters_;
};

/// The whole ring's last border meets its first one.
std::vector<ColouredLabel> close_ring(const Block& ring) {
    ClusterSets sets(ring.label);
    sets.unite_along(ring.last, 0, ring.first, 0);
    std::vector<ColouredLabel> labels(sets.size());
    for (std::uint32_t c = 0; c < sets.size(); ++c) labels[c] = sets.label(c);
    return labels;
}

/// Final labels of `block`, whose first rank this is and which spans `width` ranks: joins it with its right neighbour
/// or hands it to its left one, level by level.
std::vector<ColouredLabel> final_labels(const Communicator& comm, const Block& block, int width, MergeCost& cost) {
    if (width >= comm.size()) return close_ring(block);
    cost.rounds += 2;
    if (comm.rank() / width % 2 == 1) {
        const int leader = comm.rank() - width;
        send(comm, leader, block.label, cost);
        send(comm, leader, block.first, cost);
        send(comm, leader, block.last, cost);
        return receive<ColouredLabel>(comm, leader);
    }
    const int partner = comm.rank() + width;
    if (partner >= comm.size()) return final_labels(comm, block, 2 * width, cost);
    Block right;
    right.label = receive<ColouredLabel>(comm, partner);
    right.first = receive<std::uint32_t>(comm, partner);
    right.last = receive<std::uint32_t>(comm, partner);
    Join join(block, right);
    std::vector<ColouredLabel> labels = join.labels_below(final_labels(comm, join.block(), 2 * width, cost));
    const auto split = labels.begin() + static_cast<std::ptrdiff_t>(join.left_clusters());
    send(comm, partner, std::vector<ColouredLabel>(split, labels.end()), cost);
    labels.erase(split, labels.end());
    return labels;
}

}  // namespace

MergeCost resolve_by_tree(const Communicator& comm, BorderClusters& clusters) {
    MergeCost cost;
    clusters.label = final_labels(comm, {clusters.label, clusters.to_previous, clusters.to_next}, 1, cost);
    return cost;
}

}  // namespace strata
