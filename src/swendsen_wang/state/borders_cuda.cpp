// SPDX-License-Identifier: BSD-3-Clause
// Borders of a slab on a device: the halo exchange of spins between devices, and the resolution of the labels of
// clusters that cross a border. Only the list of these clusters is copied to the host, not the labels of the slab.
#include "swendsen_wang/state/borders_cuda.hpp"

#include <algorithm>
#include <numeric>

namespace strata::swendsen_wang {

Borders<Cuda>::Borders(const Communicator& comm, const SwendsenWangPlan& plan, const Slab<Cuda>& slab,
                       const BackendOptions<Cuda>& options)
    : comm_(comm),
      resolver_(comm, plan.label_protocol()),
      queue_(slab.queue()),
      kernels_(device_sweep_kernels()),
      halo_(plan.halo_words(), comm, slab.queue(), options.route),
      shift_below_(plan.lattice().boundary_shift(-1, plan.lattice().slow_axis())),
      shift_last_(plan.lattice().boundary_shift(static_cast<std::int64_t>(plan.lattice().rows()) - 1,
                                                plan.lattice().slow_axis())) {
    if (comm.size() > 1) allocate_lists(plan);
}

/// Allocates the lists for the largest possible number of entries: one cluster per border site.
void Borders<Cuda>::allocate_lists(const SwendsenWangPlan& plan) {
    const std::uint64_t sites = plan.border_sites();
    const View<std::uint32_t, Cuda> at_site = allocate(at_site_, 2 * sites);
    view_.at_site[0] = at_site.part(0, sites);
    view_.at_site[1] = at_site.part(sites, sites);
    view_.root = allocate(roots_, 2 * sites);
    view_.cluster_spin = allocate(cluster_spins_, 2 * sites);
    view_.size = allocate(sizes_, 2 * sites);
    view_.cluster_of = allocate(cluster_of_, plan.id_capacity());
    fill_bytes(queue_, cluster_of_.view(), 0xFF);  // none
    allocate(host_at_site_, 2 * sites);
    allocate(host_roots_, 2 * sites);
    allocate(host_cluster_spins_, 2 * sites);
    allocate(host_sizes_, 2 * sites);
    allocate(host_counts_, all_counts);
    amount_.reserve(2 * sites);
    by_root_.reserve(2 * sites);
}

/// With one rank the slab exchanges with itself, which closes the periodic lattice.
void Borders<Cuda>::exchange_spins(Slab<Cuda>& slab) {
    const DeviceSlab& s = slab.view();
    for (int bit = 0; bit < s.state_bits; ++bit) {
        kernels_.pack_border(queue_, s, bit, 0, 0, halo_.to_previous().view());
        kernels_.pack_border(queue_, s, bit, s.rows - s.rows_per_layer, shift_last_, halo_.to_next().view());
        halo_.start();
        halo_.finish();
        kernels_.unpack_border(queue_, s, bit, -s.rows_per_layer, shift_below_, halo_.from_previous().view());
        kernels_.unpack_border(queue_, s, bit, s.rows, 0, halo_.from_next().view());
    }
}

/// Copies the list of border clusters and the number of labels of the slab to the host.
void Borders<Cuda>::fetch_clusters(const Slab<Cuda>& slab) {
    kernels_.list_border_clusters(queue_, slab.view(), view_);
    copy_to_host(queue_, std::span<std::uint64_t>(host_counts_), View<const std::uint64_t, Cuda>(slab.view().counts));
    copy_to_host(queue_, std::span<std::uint32_t>(host_at_site_), std::as_const(at_site_).view());
    queue_.wait();
    const std::size_t clusters = host_counts_[border_count];
    copy_to_host(queue_, std::span(host_roots_.data(), clusters), std::as_const(roots_).view().part(0, clusters));
    copy_to_host(queue_, std::span(host_cluster_spins_.data(), clusters),
                 std::as_const(cluster_spins_).view().part(0, clusters));
    queue_.wait();
}

/// Both sides of a border list their bonds in the order of the sites, so that the lists of neighbours correspond.
void Borders<Cuda>::resolve_labels(Slab<Cuda>& slab) {
    if (comm_.size() == 1) return;
    fetch_clusters(slab);
    const auto clusters = static_cast<std::uint32_t>(host_counts_[border_count]);
    clusters_.root.assign(host_roots_.data(), host_roots_.data() + clusters);
    clusters_.label.resize(clusters);
    for (std::uint32_t i = 0; i < clusters; ++i)
        clusters_.label[i] =
            spin_label(slab.view().sweep, global_label(comm_.rank(), host_roots_[i]), host_cluster_spins_[i]);
    clusters_.to_previous.clear();
    clusters_.to_next.clear();
    const std::size_t sites = view_.at_site[0].size();
    for (std::size_t i = 0; i < 2 * sites; ++i)
        if (host_at_site_[i] != DeviceBorders::none)
            (i < sites ? clusters_.to_previous : clusters_.to_next).push_back(host_at_site_[i]);
    clusters_.at_next = clusters_.to_next.empty() ? 0 : 1 + std::ranges::max(clusters_.to_next);
    resolver_.resolve(clusters_);
    for (std::uint32_t i = 0; i < clusters; ++i) host_cluster_spins_[i] = payload_of(clusters_.label[i]);
    copy_to_device(queue_, view_.cluster_spin.part(0, clusters),
                   std::span<const std::uint8_t>(host_cluster_spins_.data(), clusters));
    kernels_.set_border_spins(queue_, slab.view(), view_, clusters);
}

/// Copies the sizes of the border clusters to the host, sends them to the owners of the labels, and copies the sums
/// back.
void Borders<Cuda>::send_sizes_to_owners(Slab<Cuda>& slab) {
    if (comm_.size() == 1) return;
    const auto clusters = static_cast<std::uint32_t>(clusters_.root.size());
    kernels_.get_border_sizes(queue_, slab.view(), view_, clusters);
    copy_to_host(queue_, std::span(host_sizes_.data(), clusters), std::as_const(sizes_).view().part(0, clusters));
    queue_.wait();
    amount_.assign(host_sizes_.data(), host_sizes_.data() + clusters);
    const std::vector<std::uint64_t> received = received_sizes(clusters);
    for (std::uint32_t i = 0; i < clusters; ++i) host_sizes_[i] = amount_[i] + received[i];
    copy_to_device(queue_, view_.size.part(0, clusters), std::span<const std::uint64_t>(host_sizes_.data(), clusters));
    kernels_.set_border_sizes(queue_, slab.view(), view_, clusters);
}

/// Sends the sizes in amount_ to the owners of the labels; returns the sizes received for each border cluster. Every
/// label that other ranks send is the root of a border cluster of this slab, because only such labels leave it.
std::vector<std::uint64_t> Borders<Cuda>::received_sizes(std::uint32_t clusters) {
    const auto root_of = [&](std::uint32_t i) { return host_roots_[i]; };
    by_root_.resize(clusters);
    std::iota(by_root_.begin(), by_root_.end(), 0u);
    std::ranges::sort(by_root_, {}, root_of);
    std::vector<std::uint64_t> received(clusters, 0);
    for (const LabelAmount& part : send_to_owners(comm_, clusters_, amount_))
        received[*std::ranges::lower_bound(by_root_, local_label(part.label), {}, root_of)] += part.amount;
    return received;
}

}  // namespace strata::swendsen_wang
