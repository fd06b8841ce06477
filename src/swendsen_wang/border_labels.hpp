// SPDX-License-Identifier: BSD-3-Clause
// The label protocol for one slice, whatever its backend: the clusters that have a bonded site on a border go in, and
// come back as parts of clusters of the whole lattice (comm/label_ownership.hpp).
#pragma once

#include <cstdint>
#include <vector>

#include "comm/label_ownership.hpp"

namespace strata::swendsen_wang {

class BorderLabels {
  public:
    BorderLabels(const Communicator& comm, MergeProtocol protocol)
        : comm_(comm), protocol_(protocol), ownership_(comm, 0) {}

    /// A new configuration, in which this slice has `labels` labels. Collective.
    void begin(std::uint64_t labels);
    /// Enters a cluster by the label of its root; returns its index.
    std::uint32_t add(std::uint32_t root, std::uint8_t coin);
    /// [bonded site on the border to the previous or next slice, in the order of the sites] cluster index
    std::vector<std::uint32_t>& to_previous() { return clusters_.to_previous; }
    std::vector<std::uint32_t>& to_next() { return clusters_.to_next; }

    /// Unites the clusters of all slices. Collective.
    void resolve();
    /// Of the whole cluster, after resolve().
    std::uint8_t coin(std::size_t cluster) const { return colour_of(clusters_.label[cluster]); }
    std::size_t count() const { return clusters_.label.size(); }

    /// amount[cluster] becomes 0 where another rank owns the label. Calls add(local label, amount) for what other ranks
    /// hand over. Collective.
    template <class Add>
    void hand_to_owners(std::vector<std::uint64_t>& amount, Add add) {
        for (const LabelAmount& a : send_to_owners(comm_, ownership_, clusters_, amount))
            add(ownership_.local(a.label), a.amount);
    }
    /// Of the last resolve().
    const MergeCost& cost() const { return cost_; }

  private:
    const Communicator& comm_;
    MergeProtocol protocol_;
    LabelOwnership ownership_;
    BorderClusters clusters_;
    MergeCost cost_;
};

}  // namespace strata::swendsen_wang
