// SPDX-License-Identifier: BSD-3-Clause
// The borders of a slice: spins of the neighbouring layers come in, one bit per site; labels of clusters with a bond
// across a border go out, and come back as the whole cluster's.
#pragma once

#include <cstdint>
#include <vector>

#include "comm/halo.hpp"
#include "kernels/swendsen_wang/slice_view.hpp"
#include "swendsen_wang/border_labels.hpp"
#include "swendsen_wang/slice_cpu.hpp"

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

template <>
class Borders<Cpu> {
  public:
    Borders(const Communicator& comm, const SwendsenWangPlan& plan, const Slice<Cpu>& slice,
            const BackendOptions<Cpu>&);

    /// Fills the halo rows of spins below and above the slice.
    void exchange_spins(Slice<Cpu>& slice);

    /// After label: gives every cluster that crosses a border the coin of its root, wherever that is.
    void resolve_labels(Slice<Cpu>& slice);

    /// After count: the size of every cluster ends at the owner of its label, and is 0 elsewhere.
    void sum_sizes(Slice<Cpu>& slice);

    /// Of the last resolve_labels.
    const MergeCost& cost() const { return labels_.cost(); }

  private:
    std::uint32_t cluster_of(const SliceView& s, std::uint32_t id);

    const Communicator& comm_;
    RingHalo<Cpu> halo_;
    LocalLabels local_;
    BorderLabels labels_;
    std::vector<std::uint32_t> root_id_;        ///< [cluster]
    std::vector<std::uint32_t> cluster_index_;  ///< [id] its cluster in labels_, or none; all none between calls
};

}  // namespace strata::swendsen_wang
