// SPDX-License-Identifier: BSD-3-Clause
// The borders of a slice: spins of the neighbouring layers come in, one bit per site; labels of clusters with a bond
// across a border go out, and come back as the whole cluster's.
#pragma once

#include <cstdint>
#include <vector>

#include "comm/halo.hpp"
#include "comm/label_ownership.hpp"
#include "kernels/swendsen_wang/slice_view.hpp"
#include "strata/buffer.hpp"
#include "swendsen_wang/plan.hpp"

namespace strata::swendsen_wang {

/// Ids have gaps between the threads' ranges; labels count the ids in use, so that the ranks' labels can be minimised.
class LocalLabels {
  public:
    LocalLabels() = default;
    explicit LocalLabels(const SliceView& s);
    std::uint32_t count() const { return first_label_.empty() ? 0 : first_label_.back(); }
    std::uint32_t label(std::uint32_t id) const;
    std::uint32_t id(std::uint32_t label) const;

  private:
    std::vector<std::uint32_t> first_id_;     ///< [thread]
    std::vector<std::uint32_t> first_label_;  ///< [thread], and the number of labels
};

class Borders {
  public:
    Borders(const Communicator& comm, const SwendsenWangPlan& plan);

    /// Fills the halo rows of spins below and above the slice.
    void exchange_spins(SliceView& s);

    /// After join_threads: gives every cluster that crosses a border the coin of its root, wherever that is.
    void resolve_labels(SliceView& s);

    /// After count_sizes: the size of every cluster ends at the owner of its label, and is 0 elsewhere.
    void sum_sizes(std::uint64_t* sizes);

    /// Of the last resolve_labels.
    const MergeCost& cost() const { return cost_; }

  private:
    std::uint32_t cluster_of(const SliceView& s, std::uint32_t id);

    const Communicator& comm_;
    MergeProtocol protocol_;
    RingHalo halo_;
    LocalLabels labels_;
    BorderClusters clusters_;
    std::vector<std::uint32_t> root_id_;  ///< [cluster]
    LabelOwnership ownership_;
    std::vector<std::uint32_t> cluster_index_;  ///< [id] its cluster in clusters_, or none; all none between calls
    MergeCost cost_;
};

}  // namespace strata::swendsen_wang
