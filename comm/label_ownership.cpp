// SPDX-License-Identifier: BSD-3-Clause
// Sizes to the owners of labels, and the resolution of labels by exchange between neighbours (Wende and Steinke, SC13, Listing 6):
// changed labels are sent across the borders until an all-reduce finds no change on any rank.
#include "comm/label_ownership.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <span>

#include "comm/collectives.hpp"
#include "comm/tags.hpp"

namespace strata {
namespace {

/// A cluster of the neighbouring rank whose label has changed.
struct ChangedLabel {
    BorderLabel label;
    std::uint32_t cluster;
    std::uint32_t padding = 0;
};

/// One list per border of a slab: [0] to the previous rank, [1] to the next.
template <class T>
using PerBorder = std::array<std::vector<T>, 2>;

/// Sends `to_neighbour` across the borders and returns the lists of the neighbours; the lengths are exchanged first.
/// Collective.
template <class T>
PerBorder<T> across_borders(const Communicator& comm, const PerBorder<T>& to_neighbour) {
    const int neighbour[2] = {comm.previous(), comm.next()};
    const int send_tag[2] = {tag::labels_to_previous, tag::labels_to_next},
              receive_tag[2] = {tag::labels_to_next, tag::labels_to_previous};
    const std::uint64_t count[2] = {to_neighbour[0].size(), to_neighbour[1].size()};
    std::uint64_t incoming[2] = {0, 0};
    const auto swap = [&](const auto& sent, const auto& received) {
        Exchange<Cpu> exchange(comm);
        for (int side = 0; side < 2; ++side) {
            const auto s = static_cast<std::size_t>(side);
            exchange.plan_receive(neighbour[s], receive_tag[s], received(s).data(), received(s).size_bytes());
            exchange.plan_send(neighbour[s], send_tag[s], sent(s).data(), sent(s).size_bytes());
        }
        exchange.start();
        exchange.finish();
    };
    swap([&](std::size_t s) { return std::span(&count[s], 1); },
         [&](std::size_t s) { return std::span(&incoming[s], 1); });
    PerBorder<T> received = {std::vector<T>(incoming[0]), std::vector<T>(incoming[1])};
    swap([&](std::size_t s) { return std::span(to_neighbour[s]); },
         [&](std::size_t s) { return std::span(received[s]); });
    return received;
}

/// The clusters of this rank that each cluster of the neighbour is bonded to, across one border.
class BorderBonds {
  public:
    /// `theirs` and `ours` are the clusters on the two sides of each active bond. Consecutive bonds between the same
    /// two clusters count once. Grouping is by counting, which is faster than sorting.
    BorderBonds(const std::vector<std::uint32_t>& theirs, const std::vector<std::uint32_t>& ours) {
        if (theirs.size() != ours.size())
            throw Error(ExitCode::internal, "Two ranks disagree about the bonds of their common border.");
        const auto repeats = [&](std::size_t i) {
            return i > 0 && theirs[i] == theirs[i - 1] && ours[i] == ours[i - 1];
        };
        for (std::size_t i = 0; i < theirs.size(); ++i) {
            if (theirs[i] + std::size_t{2} > first_.size()) first_.resize(theirs[i] + std::size_t{2});
            first_[theirs[i] + std::size_t{1}] += repeats(i) ? 0 : 1;
        }
        std::partial_sum(first_.begin(), first_.end(), first_.begin());
        ours_.resize(first_.back());
        std::vector<std::uint32_t> next = first_;
        for (std::size_t i = 0; i < theirs.size(); ++i)
            if (!repeats(i)) ours_[next[theirs[i]]++] = ours[i];
    }
    /// Clusters of this rank that cluster `theirs` of the neighbour is bonded to.
    std::span<const std::uint32_t> bonded_to(std::uint32_t theirs) const {
        return std::span(ours_).subspan(first_[theirs], first_[theirs + 1] - first_[theirs]);
    }

  private:
    std::vector<std::uint32_t> first_ = std::vector<std::uint32_t>(1);  ///< [their cluster] first of its bonds in ours_
    std::vector<std::uint32_t> ours_;  ///< clusters of this rank, grouped by the cluster of the neighbour
};

/// Each cluster of a list once, in the order of first appearance.
std::vector<std::uint32_t> distinct(const std::vector<std::uint32_t>& list, std::size_t clusters) {
    std::vector<bool> found(clusters, false);
    std::vector<std::uint32_t> once;
    for (std::uint32_t cluster : list) {
        if (found[cluster]) continue;
        found[cluster] = true;
        once.push_back(cluster);
    }
    return once;
}

/// In every round the label of each cluster becomes the smallest one that was received for clusters bonded to it, if
/// that is smaller. All labels count as changed in the first round.
ResolutionCost resolve_by_exchange(const Communicator& comm, BorderClusters& clusters) {
    const PerBorder<std::uint32_t> ours = {clusters.to_previous, clusters.to_next};
    const PerBorder<std::uint32_t> theirs = across_borders(comm, ours);
    const std::array<BorderBonds, 2> bonds = {BorderBonds(theirs[0], ours[0]), BorderBonds(theirs[1], ours[1])};
    const std::size_t count = clusters.label.size();
    const PerBorder<std::uint32_t> at_border = {distinct(ours[0], count), distinct(ours[1], count)};

    ResolutionCost cost = {1, (ours[0].size() + ours[1].size()) * sizeof(std::uint32_t)};
    std::vector<bool> changed(clusters.label.size(), true);
    std::uint64_t changes = 1;
    while (changes != 0) {
        PerBorder<ChangedLabel> sent;
        for (std::size_t side = 0; side < 2; ++side)
            for (std::uint32_t cluster : at_border[side])
                if (changed[cluster]) sent[side].push_back({clusters.label[cluster], cluster});
        const PerBorder<ChangedLabel> received = across_borders(comm, sent);
        changed.assign(changed.size(), false);
        std::uint64_t own_changes = 0;
        for (std::size_t side = 0; side < 2; ++side)
            for (const ChangedLabel& update : received[side])
                for (std::uint32_t own : bonds[side].bonded_to(update.cluster)) {
                    if (update.label >= clusters.label[own]) continue;
                    clusters.label[own] = update.label;
                    changed[own] = true;
                    ++own_changes;
                }
        changes = all_sum(comm, own_changes);
        ++cost.rounds;
        cost.bytes += (sent[0].size() + sent[1].size()) * sizeof(ChangedLabel);
    }
    return cost;
}

}  // namespace

ResolutionCost LabelResolver::resolve(BorderClusters& clusters) {
    return protocol_ == LabelProtocol::tree ? tree_.resolve(comm_, clusters) : resolve_by_exchange(comm_, clusters);
}

std::vector<LabelAmount> send_to_owners(const Communicator& comm, const BorderClusters& clusters,
                                        std::vector<std::uint64_t>& amount) {
    std::vector<std::vector<LabelAmount>> to_owner(static_cast<std::size_t>(comm.size()));
    for (std::size_t i = 0; i < clusters.label.size(); ++i) {
        const std::uint64_t label = label_of(clusters.label[i]);
        if (label == global_label(comm.rank(), clusters.root[i])) continue;
        to_owner[static_cast<std::size_t>(owner_of(label))].push_back({label, amount[i]});
        amount[i] = 0;
    }
    std::vector<LabelAmount> received;
    for (const auto& of_rank : all_to_all(comm, to_owner))
        received.insert(received.end(), of_rank.begin(), of_rank.end());
    return received;
}

}  // namespace strata
