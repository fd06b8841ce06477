// SPDX-License-Identifier: BSD-3-Clause
// Borders of a slab in host memory. The spins of the neighbouring tile layers are received, one bit per site; labels of
// clusters with an active bond across a border are resolved with the other ranks.
#pragma once

#include <cstdint>
#include <vector>

#include "comm/halo.hpp"
#include "comm/label_ownership.hpp"
#include "kernels/swendsen_wang/slab_view.hpp"
#include "swendsen_wang/state/slab_cpu.hpp"

namespace strata::swendsen_wang {

/// Local labels of a slab: the ids in use, counted without the gaps between the ranges of the threads.
class LocalLabels {
  public:
    LocalLabels() = default;
    explicit LocalLabels(const SlabView& s);
    /// Number of labels of the slab.
    std::uint32_t count() const { return first_label_.empty() ? 0 : first_label_.back(); }
    /// Local label of an id in use, and its inverse.
    std::uint32_t label(std::uint32_t id) const;
    std::uint32_t id(std::uint32_t label) const;

  private:
    std::vector<std::uint32_t> first_id_;     ///< [thread] first id of its range
    std::vector<std::uint32_t> first_label_;  ///< [thread] label of its first id; last element: number of labels
};

template <>
class Borders<Cpu> {
  public:
    Borders(const Communicator& comm, const SwendsenWangPlan& plan, const Slab<Cpu>& slab, const BackendOptions<Cpu>&);

    /// Fills the halo rows of spins below and above the slab. Collective.
    void exchange_spins(Slab<Cpu>& slab);

    /// Sets the spin of every cluster that crosses a border to the random spin of its minimal site, on whichever rank
    /// that is. Called after draw_and_label. Collective.
    void resolve_labels(Slab<Cpu>& slab);

    /// Sums the size of every cluster that crosses a border on the owner of its label and sets it to 0 on the other
    /// ranks. Called after count. Collective.
    void send_sizes_to_owners(Slab<Cpu>& slab);

  private:
    std::uint32_t cluster_of(const SlabView& s, std::uint32_t id);

    const Communicator& comm_;
    const LabelProtocol protocol_;
    RingHalo<Cpu> halo_;
    LocalLabels local_;
    LabelOwnership ownership_;
    BorderClusters clusters_;
    std::vector<std::uint32_t> root_id_;        ///< [cluster] id of its root in this slab
    std::vector<std::uint32_t> cluster_index_;  ///< [id of a root] its border cluster, or none; all none between calls
};

}  // namespace strata::swendsen_wang
