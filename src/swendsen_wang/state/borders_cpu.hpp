// SPDX-License-Identifier: BSD-3-Clause
// Borders of a slab in host memory. The spins of the neighbouring tile layers are received, one bit per site; labels of
// clusters with an active bond across a border are resolved with the other ranks.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "comm/halo.hpp"
#include "comm/label_ownership.hpp"
#include "kernels/swendsen_wang/slab_view.hpp"
#include "kernels/swendsen_wang/sweep_kernels.hpp"
#include "strata/buffer.hpp"
#include "swendsen_wang/state/slab_cpu.hpp"

namespace strata::swendsen_wang {

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
    void list_clusters(const SlabView& s, std::span<const std::uint32_t> roots, std::vector<std::uint32_t>& bonds);

    const Communicator& comm_;
    const SweepKernels& kernels_;
    LabelResolver resolver_;
    RingHalo<Cpu> halo_;
    BorderClusters clusters_;
    Buffer<std::uint32_t> roots_;  ///< [active bond to the next, then to the previous rank] root of its cluster
};

}  // namespace strata::swendsen_wang
