// SPDX-License-Identifier: BSD-3-Clause
// Borders of a slab on a device. Spins are exchanged between devices. The device lists the clusters that cross a
// border, the host resolves their labels with the other ranks, and their spins and sizes are copied back to the device.
#pragma once

#include <cstdint>
#include <vector>

#include "comm/halo.hpp"
#include "comm/label_ownership.hpp"
#include "swendsen_wang/state/slab_cuda.hpp"

namespace strata::swendsen_wang {

template <>
class Borders<Cuda> {
  public:
    /// Uses the queue of `slab`, which must outlive this object.
    Borders(const Communicator& comm, const SwendsenWangPlan& plan, const Slab<Cuda>& slab,
            const BackendOptions<Cuda>& options);

    /// Fills the halo rows of spins below and above the slab. Collective.
    void exchange_spins(Slab<Cuda>& slab);
    /// Sets the spin of every cluster that crosses a border to the random spin of its minimal site, on whichever rank
    /// that is. Called after draw_and_label. Collective.
    void resolve_labels(Slab<Cuda>& slab);
    /// Sums the size of every cluster that crosses a border on the owner of its label and sets it to 0 on the other
    /// ranks. Called after count. Collective.
    void send_sizes_to_owners(Slab<Cuda>& slab);

  private:
    void allocate_lists(const SwendsenWangPlan& plan);
    void fetch_clusters(const Slab<Cuda>& slab);
    std::vector<std::uint64_t> received_sizes(std::uint32_t clusters);

    const Communicator& comm_;
    LabelResolver resolver_;
    const Queue<Cuda>& queue_;
    const DeviceSweepKernels& kernels_;
    RingHalo<Cuda> halo_;
    std::int32_t shift_below_, shift_last_;  ///< boundary_shift of the tile layer below the slab, and of its last layer
    BorderClusters clusters_;
    DeviceBorders view_;
    Buffer<std::uint32_t, Cuda> at_site_, roots_, cluster_of_;
    Buffer<std::uint8_t, Cuda> cluster_spins_;
    Buffer<std::uint64_t, Cuda> sizes_;
    Buffer<std::uint32_t, Pinned> host_at_site_, host_roots_;
    Buffer<std::uint8_t, Pinned> host_cluster_spins_;
    Buffer<std::uint64_t, Pinned> host_sizes_, host_counts_;
    std::vector<std::uint64_t> amount_;   ///< [cluster] size to send
    std::vector<std::uint32_t> by_root_;  ///< clusters sorted by their roots
};

}  // namespace strata::swendsen_wang
