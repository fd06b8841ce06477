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
#include "comm/border_tree.hpp"

#include <span>

#include "comm/exchange.hpp"
#include "comm/tags.hpp"
#include "strata/error.hpp"

namespace strata {
namespace {

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
    SentLists(const Communicator& comm, int to, ResolutionCost& cost, std::span<const T>... lists)
        : counts_{lists.size()...}, exchange_(comm) {
        exchange_.plan_send(to, tag::border_tree, counts_, sizeof counts_);
        (exchange_.plan_send(to, tag::border_tree, lists.data(), lists.size_bytes()), ...);
        exchange_.start();
        cost.bytes += (std::uint64_t{0} + ... + lists.size_bytes());
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

/// Receives labels from one rank and sends labels to another. Both know their numbers; an empty list is no message.
void exchange_labels(const Communicator& comm, int from, std::span<BorderLabel> received, int to,
                     std::span<const BorderLabel> sent, ResolutionCost& cost) {
    Exchange<Cpu> exchange(comm);
    if (!received.empty()) exchange.plan_receive(from, tag::border_tree, received.data(), received.size_bytes());
    if (!sent.empty()) exchange.plan_send(to, tag::border_tree, sent.data(), sent.size_bytes());
    exchange.start();
    exchange.finish();
    cost.bytes += sent.size_bytes();
}

/// Labels of some sets, in the order of their numbers, and the opposite.
std::vector<BorderLabel> labels_of(const ClusterSets& sets, const Numbering& numbering) {
    std::vector<BorderLabel> labels;
    labels.reserve(numbering.clusters().size());
    for (const std::uint32_t set : numbering.clusters()) labels.push_back(sets.label(set));
    return labels;
}
void set_labels(ClusterSets& sets, const Numbering& numbering, const std::vector<BorderLabel>& labels) {
    for (std::size_t i = 0; i < labels.size(); ++i) sets.set_label(numbering.clusters()[i], labels[i]);
}

/// The union of two neighbouring blocks, and the numbers that its sets at the two ends have in it.
class UnitedBlock {
  public:
    UnitedBlock(const Block& left, const Block& right)
        : sets_(left.label, right.label), in_block_(sets_.size()), left_sets_(left.label.size()) {
        const auto offset = static_cast<std::uint32_t>(left_sets_);
        sets_.unite_along(left.last, 0, right.first, offset);
        sets_.settle();
        for (const std::uint32_t set : left.first) block_.first.push_back(in_block_(sets_.root(set)));
        for (const std::uint32_t set : right.last) block_.last.push_back(in_block_(sets_.root(offset + set)));
        block_.label = labels_of(sets_, in_block_);
    }
    const Block& block() const { return block_; }

    /// Final labels of the sets of the left and then of the right block, given those of the united block.
    std::vector<BorderLabel> labels_below(const std::vector<BorderLabel>& of_block) {
        set_labels(sets_, in_block_, of_block);
        std::vector<BorderLabel> below(sets_.size());
        for (std::uint32_t set = 0; set < sets_.size(); ++set) below[set] = sets_.label(set);
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
    ClusterSets sets(ring.label, {});
    sets.unite_along(ring.last, 0, ring.first, 0);
    sets.settle();
    std::vector<BorderLabel> labels(sets.size());
    for (std::uint32_t set = 0; set < sets.size(); ++set) labels[set] = sets.label(set);
    return labels;
}

/// Final labels of `block`, which contains the borders of `width` ranks beginning with this one. At each level of the tree
/// the block is united with the block to its right, or sent to the first rank of the block to its left.
std::vector<BorderLabel> final_labels(const Communicator& comm, const Block& block, int width, ResolutionCost& cost) {
    if (width >= comm.size()) return close_ring(block);
    cost.rounds += 2;
    if (comm.rank() / width % 2 == 1) {
        const int leader = comm.rank() - width;
        SentLists(comm, leader, cost, std::span(block.label), std::span(block.first), std::span(block.last)).finish();
        std::vector<BorderLabel> labels(block.label.size());
        exchange_labels(comm, leader, labels, leader, {}, cost);
        return labels;
    }
    const int partner = comm.rank() + width;
    if (partner >= comm.size()) return final_labels(comm, block, 2 * width, cost);
    Block right;
    receive(comm, partner, right.label, right.first, right.last);
    UnitedBlock both(block, right);
    std::vector<BorderLabel> labels = both.labels_below(final_labels(comm, both.block(), 2 * width, cost));
    exchange_labels(comm, partner, {}, partner, std::span(labels).subspan(both.left_sets()), cost);
    labels.resize(both.left_sets());
    return labels;
}

}  // namespace

/// Sends the clusters at the border to the next rank, which are the first ones, and receives those of the previous rank.
void BorderTree::exchange_sides(const Communicator& comm, const BorderClusters& clusters, ResolutionCost& cost) {
    SentLists sent(comm, comm.next(), cost, std::span(clusters.to_next),
                   std::span(clusters.label).first(clusters.at_next), std::span(through_.clusters()));
    receive(comm, comm.previous(), previous_.bond, previous_.label, previous_.through);
    sent.finish();
}

ResolutionCost BorderTree::resolve(const Communicator& comm, BorderClusters& clusters) {
    ResolutionCost cost = {2, 0};
    through_.reset(clusters.at_next);
    for (const std::uint32_t cluster : clusters.to_previous)
        if (cluster < clusters.at_next) through_(cluster);

    // step 1: the border to the previous rank, whose clusters come first
    exchange_sides(comm, clusters, cost);
    const auto offset = static_cast<std::uint32_t>(previous_.label.size());
    sets_.reset(previous_.label, clusters.label);
    sets_.unite_along(previous_.bond, 0, clusters.to_previous, offset);
    sets_.settle();

    // step 2: sets that clusters through this slab or the previous one touch
    Block block;
    in_block_.reset(sets_.size());
    for (const std::uint32_t cluster : previous_.through) block.first.push_back(in_block_(sets_.root(cluster)));
    for (const std::uint32_t cluster : through_.clusters())
        block.last.push_back(in_block_(sets_.root(offset + cluster)));
    block.label = labels_of(sets_, in_block_);
    set_labels(sets_, in_block_, final_labels(comm, block, 1, cost));

    // step 3: labels of this slab from its two borders
    of_previous_.resize(offset);
    for (std::uint32_t cluster = 0; cluster < offset; ++cluster) of_previous_[cluster] = sets_.label(cluster);
    for (std::uint32_t cluster = clusters.at_next; cluster < clusters.label.size(); ++cluster)
        clusters.label[cluster] = sets_.label(offset + cluster);
    exchange_labels(comm, comm.next(), std::span(clusters.label).first(clusters.at_next), comm.previous(), of_previous_,
                    cost);
    return cost;
}

}  // namespace strata
