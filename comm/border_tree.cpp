// SPDX-License-Identifier: BSD-3-Clause
// Resolution of border labels in three steps, of which only the second depends on the number of ranks:
//
//   1. Every border is resolved on its own, all at the same time: a rank receives the clusters of the previous rank at
//      their common border and unites them with its own there. A set of clusters is a node of the next step.
//   2. Slabs connect their two borders by clusters that touch both, which are few where slabs are about as high as wide.
//      The sets that they touch are united along a binary tree of ranks: a block of consecutive borders is described by
//      its sets at its two ends, and two neighbouring blocks are united along the clusters of the slab between them.
//   3. The final labels go back down the tree, and from each border to the previous rank.
//
//        rank 0             rank 1             rank 2
//      | slab 0           | slab 1           | slab 2           |      border r lies between the slabs r - 1 and r;
//   border 0           border 1           border 2           border 0  its sets are on rank r
//      o------cluster-----o                  o------------------o      clusters that touch two borders connect sets o
#include "comm/label_ownership.hpp"

#include <algorithm>
#include <numeric>
#include <span>

#include "comm/collectives.hpp"
#include "comm/tags.hpp"

namespace strata {
namespace {

constexpr std::uint32_t none = UINT32_MAX;

/// The sets of clusters on consecutive borders.
struct Block {
    std::vector<BorderLabel> label;    ///< [set] smallest label so far
    std::vector<std::uint32_t> first;  ///< [cluster of the slab before the first border that touches two borders] set
    std::vector<std::uint32_t> last;   ///< [such a cluster of the slab after the last border] set
};

/// Lists that are sent to a rank, their lengths first; they must live until finish(). Their bytes are added to `cost`.
template <class... T>
class SentLists {
  public:
    SentLists(const Communicator& comm, int to, ResolutionCost& cost, const std::vector<T>&... lists)
        : counts_{lists.size()...}, exchange_(comm) {
        exchange_.plan_send(to, tag::border_tree, counts_, sizeof counts_);
        (exchange_.plan_send(to, tag::border_tree, lists.data(), lists.size() * sizeof(T)), ...);
        exchange_.start();
        cost.bytes += (std::uint64_t{0} + ... + (lists.size() * sizeof(T)));
    }
    void finish() { exchange_.finish(); }

  private:
    const std::uint64_t counts_[sizeof...(T)];
    Exchange<Cpu> exchange_;
};

/// Receives lists of any lengths.
template <class... T>
void receive(const Communicator& comm, int from, std::vector<T>&... lists) {
    std::uint64_t counts[sizeof...(T)] = {};
    Exchange<Cpu> lengths(comm), items(comm);
    lengths.plan_receive(from, tag::border_tree, counts, sizeof counts);
    lengths.start();
    lengths.finish();
    const std::uint64_t* count = counts;
    (lists.resize(*count++), ...);
    (items.plan_receive(from, tag::border_tree, lists.data(), lists.size() * sizeof(T)), ...);
    items.start();
    items.finish();
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
    /// Unites a[i] and b[i] for every i, the clusters on the two sides of a bond or the two sets that a cluster touches.
    void unite_along(const std::vector<std::uint32_t>& a, std::uint32_t offset_a, const std::vector<std::uint32_t>& b,
                     std::uint32_t offset_b) {
        if (a.size() != b.size())
            throw Error(ExitCode::internal, "Two ranks disagree about the bonds of their common border.");
        for (std::size_t i = 0; i < a.size(); ++i) unite(offset_a + a[i], offset_b + b[i]);
    }
    /// Label of the set with this root.
    BorderLabel label(std::uint32_t root) const { return label_[root]; }
    std::uint32_t size() const { return static_cast<std::uint32_t>(label_.size()); }

  private:
    std::vector<BorderLabel> label_;
    std::vector<std::uint32_t> parent_;
};

/// Some of a number of clusters or sets, numbered in the order of their first appearance.
class Numbering {
  public:
    explicit Numbering(std::size_t clusters) : number_(clusters, none) {}
    /// The number of a cluster, which gets the next one if it has none.
    std::uint32_t operator()(std::uint32_t cluster) {
        if (number_[cluster] == none) {
            number_[cluster] = static_cast<std::uint32_t>(clusters_.size());
            clusters_.push_back(cluster);
        }
        return number_[cluster];
    }
    /// The number of a cluster, or none.
    std::uint32_t number(std::uint32_t cluster) const { return number_[cluster]; }
    /// [number] cluster
    const std::vector<std::uint32_t>& clusters() const { return clusters_; }

  private:
    std::vector<std::uint32_t> number_, clusters_;
};

std::vector<BorderLabel> both_labels(std::vector<BorderLabel> left, const std::vector<BorderLabel>& right) {
    left.insert(left.end(), right.begin(), right.end());
    return left;
}

/// The label of a cluster or set after the tree: that of its set in the block where it has a number there, else its own.
BorderLabel final_label(ClusterSets& sets, const Numbering& in_block, const std::vector<BorderLabel>& of_block,
                        std::uint32_t cluster) {
    const std::uint32_t set = sets.find(cluster), number = in_block.number(set);
    return number == none ? sets.label(set) : of_block[number];
}

/// Labels of some sets, in the order of their numbers.
std::vector<BorderLabel> labels_of(const ClusterSets& sets, const Numbering& numbering) {
    std::vector<BorderLabel> labels;
    labels.reserve(numbering.clusters().size());
    for (const std::uint32_t set : numbering.clusters()) labels.push_back(sets.label(set));
    return labels;
}

/// The union of two neighbouring blocks, and the numbers that its sets at the two ends have in it.
class UnitedBlock {
  public:
    UnitedBlock(const Block& left, const Block& right)
        : sets_(both_labels(left.label, right.label)), in_block_(sets_.size()), left_sets_(left.label.size()) {
        const auto offset = static_cast<std::uint32_t>(left_sets_);
        sets_.unite_along(left.last, 0, right.first, offset);
        for (const std::uint32_t set : left.first) block_.first.push_back(in_block_(sets_.find(set)));
        for (const std::uint32_t set : right.last) block_.last.push_back(in_block_(sets_.find(offset + set)));
        block_.label = labels_of(sets_, in_block_);
    }
    const Block& block() const { return block_; }

    /// Final labels of the sets of the left and then of the right block, given those of the united block.
    std::vector<BorderLabel> labels_below(const std::vector<BorderLabel>& of_block) {
        std::vector<BorderLabel> below(sets_.size());
        for (std::uint32_t set = 0; set < sets_.size(); ++set)
            below[set] = final_label(sets_, in_block_, of_block, set);
        return below;
    }
    std::size_t left_sets() const { return left_sets_; }

  private:
    ClusterSets sets_;
    Numbering in_block_;
    Block block_;
    std::size_t left_sets_;
};

/// Final labels of the block of all borders, which form a ring.
std::vector<BorderLabel> close_ring(const Block& ring) {
    ClusterSets sets(ring.label);
    sets.unite_along(ring.last, 0, ring.first, 0);
    std::vector<BorderLabel> labels(sets.size());
    for (std::uint32_t set = 0; set < sets.size(); ++set) labels[set] = sets.label(sets.find(set));
    return labels;
}

/// Final labels of `block`, which contains the borders of `width` ranks beginning with this one. At each level of the tree
/// the block is united with the block to its right, or sent to the first rank of the block to its left.
std::vector<BorderLabel> final_labels(const Communicator& comm, const Block& block, int width, ResolutionCost& cost) {
    if (width >= comm.size()) return close_ring(block);
    cost.rounds += 2;
    if (comm.rank() / width % 2 == 1) {
        const int leader = comm.rank() - width;
        SentLists(comm, leader, cost, block.label, block.first, block.last).finish();
        std::vector<BorderLabel> labels;
        receive(comm, leader, labels);
        return labels;
    }
    const int partner = comm.rank() + width;
    if (partner >= comm.size()) return final_labels(comm, block, 2 * width, cost);
    Block right;
    receive(comm, partner, right.label, right.first, right.last);
    UnitedBlock both(block, right);
    std::vector<BorderLabel> labels = both.labels_below(final_labels(comm, both.block(), 2 * width, cost));
    const auto split = labels.begin() + static_cast<std::ptrdiff_t>(both.left_sets());
    const std::vector<BorderLabel> of_right(split, labels.end());
    SentLists(comm, partner, cost, of_right).finish();
    labels.erase(split, labels.end());
    return labels;
}

/// The clusters of a slab at one of its borders.
struct BorderSide {
    std::vector<std::uint32_t> bond;     ///< [active bond across the border] number of the cluster
    std::vector<BorderLabel> label;      ///< [number] label of the cluster
    std::vector<std::uint32_t> through;  ///< numbers of the clusters that touch both borders of the slab
};

/// Numbers the clusters at a border; `bonds`: [active bond] cluster.
BorderSide side_of(const BorderClusters& clusters, const std::vector<std::uint32_t>& bonds, Numbering& number) {
    BorderSide side;
    side.bond.reserve(bonds.size());
    for (const std::uint32_t cluster : bonds) side.bond.push_back(number(cluster));
    side.label.reserve(number.clusters().size());
    for (const std::uint32_t cluster : number.clusters()) side.label.push_back(clusters.label[cluster]);
    return side;
}

/// Sends the clusters at the border to the next rank and receives those of the previous rank. A single rank receives
/// its own.
BorderSide exchange_sides(const Communicator& comm, const BorderSide& at_next, ResolutionCost& cost) {
    SentLists sent(comm, comm.next(), cost, at_next.bond, at_next.label, at_next.through);
    BorderSide previous;
    receive(comm, comm.previous(), previous.bond, previous.label, previous.through);
    sent.finish();
    return previous;
}

}  // namespace

ResolutionCost resolve_by_tree(const Communicator& comm, BorderClusters& clusters) {
    ResolutionCost cost = {2, 0};
    Numbering at_previous(clusters.label.size()), at_next(clusters.label.size());
    const BorderSide own = side_of(clusters, clusters.to_previous, at_previous);
    BorderSide next = side_of(clusters, clusters.to_next, at_next);
    for (std::uint32_t number = 0; number < next.label.size(); ++number)
        if (at_previous.number(at_next.clusters()[number]) != none) next.through.push_back(number);

    // step 1: the border to the previous rank, whose clusters come first
    const BorderSide previous = exchange_sides(comm, next, cost);
    const auto offset = static_cast<std::uint32_t>(previous.label.size());
    ClusterSets sets(both_labels(previous.label, own.label));
    sets.unite_along(previous.bond, 0, own.bond, offset);

    // step 2: sets that clusters through this slab or the previous one touch
    Block block;
    Numbering in_block(sets.size());
    for (const std::uint32_t number : previous.through) block.first.push_back(in_block(sets.find(number)));
    for (const std::uint32_t number : next.through)
        block.last.push_back(in_block(sets.find(offset + at_previous.number(at_next.clusters()[number]))));
    block.label = labels_of(sets, in_block);
    const std::vector<BorderLabel> of_block = final_labels(comm, block, 1, cost);

    // step 3: labels of this slab from its two borders
    std::vector<BorderLabel> of_previous(offset), of_next(next.label.size());
    for (std::uint32_t number = 0; number < offset; ++number)
        of_previous[number] = final_label(sets, in_block, of_block, number);
    Exchange<Cpu> back(comm);
    back.plan_receive(comm.next(), tag::border_tree, of_next.data(), of_next.size() * sizeof(BorderLabel));
    back.plan_send(comm.previous(), tag::border_tree, of_previous.data(), of_previous.size() * sizeof(BorderLabel));
    back.start();
    back.finish();
    cost.bytes += of_previous.size() * sizeof(BorderLabel);
    for (std::uint32_t number = 0; number < of_next.size(); ++number)
        clusters.label[at_next.clusters()[number]] = of_next[number];
    for (std::uint32_t number = 0; number < own.label.size(); ++number)
        clusters.label[at_previous.clusters()[number]] = final_label(sets, in_block, of_block, offset + number);
    return cost;
}

}  // namespace strata
