// SPDX-License-Identifier: BSD-3-Clause
// The borders of a slice on a device: spins go from device to device; of the clusters that cross a border the device
// makes a list, the host runs the label protocol over it, and their coins and sizes go back.
#pragma once

#include <cstdint>
#include <vector>

#include "comm/halo.hpp"
#include "swendsen_wang/border_labels.hpp"
#include "swendsen_wang/slice_cuda.hpp"

namespace strata::swendsen_wang {

template <>
class Borders<Cuda> {
  public:
    /// Works in the slice's queue; the slice must outlive it.
    Borders(const Communicator& comm, const SwendsenWangPlan& plan, const Slice<Cuda>& slice,
            const BackendOptions<Cuda>& options);

    /// Fills the halo rows of spins below and above the slice.
    void exchange_spins(Slice<Cuda>& slice);
    /// After label: gives every cluster that crosses a border the coin of its root, wherever that is.
    void resolve_labels(Slice<Cuda>& slice);
    /// After count: the size of every cluster ends at the owner of its label, and is 0 elsewhere.
    void sum_sizes(Slice<Cuda>& slice);
    /// Of the last resolve_labels.
    const MergeCost& cost() const { return labels_.cost(); }

  private:
    std::uint64_t fetch_list(const Slice<Cuda>& slice);

    const Communicator& comm_;
    const Queue<Cuda>& queue_;
    const DeviceSweepKernels& kernels_;
    RingHalo<Cuda> halo_;
    std::int32_t shift_below_, shift_last_;  ///< of the faces from the layer below, and from the slice's last layer
    BorderLabels labels_;
    DeviceBorders view_;
    Buffer<std::uint32_t, Cuda> seen_, roots_, cluster_of_;
    Buffer<std::uint8_t, Cuda> coins_;
    Buffer<std::uint64_t, Cuda> sizes_;
    Buffer<std::uint32_t, Pinned> host_seen_, host_roots_;
    Buffer<std::uint8_t, Pinned> host_coins_;
    Buffer<std::uint64_t, Pinned> host_sizes_, host_counts_;
    std::vector<std::uint64_t> amount_;
    std::vector<std::uint32_t> by_root_;  ///< clusters in the order of their roots
};

}  // namespace strata::swendsen_wang
