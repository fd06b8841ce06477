// SPDX-License-Identifier: BSD-3-Clause
#include "swendsen_wang/borders_cuda.hpp"

#include <algorithm>
#include <numeric>

namespace strata::swendsen_wang {
namespace {

std::int32_t last_shift(const TileLattice& l, std::int64_t row) {
    return static_cast<std::int32_t>(l.width(l.slow_axis(), l.layer_of(row)) - 1) *
           stride_of(l.dimensions, l.slow_axis());
}

}  // namespace

Borders<Cuda>::Borders(const Communicator& comm, const SwendsenWangPlan& plan, const Slice<Cuda>& slice,
                       const BackendOptions<Cuda>& options)
    : comm_(comm),
      queue_(slice.queue()),
      kernels_(device_sweep_kernels()),
      halo_(plan.halo_words(), comm, slice.queue(), options.route),
      shift_below_(last_shift(plan.lattice(), -1)),
      shift_last_(last_shift(plan.lattice(), static_cast<std::int64_t>(plan.lattice().rows()) - 1)),
      labels_(comm, plan.merge()) {
    if (comm.size() == 1) return;
    const std::uint64_t sites = plan.border_sites();
    seen_ = Buffer<std::uint32_t, Cuda>(2 * sites);
    roots_ = Buffer<std::uint32_t, Cuda>(2 * sites);
    coins_ = Buffer<std::uint8_t, Cuda>(2 * sites);
    sizes_ = Buffer<std::uint64_t, Cuda>(2 * sites);
    cluster_of_ = Buffer<std::uint32_t, Cuda>(plan.id_capacity());
    fill_bytes(queue_, cluster_of_.view(), 0xFF);  // none
    view_ = {{seen_.view().part(0, sites), seen_.view().part(sites, sites)},
             roots_.view(),
             coins_.view(),
             sizes_.view(),
             cluster_of_.view()};
    host_seen_ = Buffer<std::uint32_t, Pinned>(2 * sites);
    host_roots_ = Buffer<std::uint32_t, Pinned>(2 * sites);
    host_coins_ = Buffer<std::uint8_t, Pinned>(2 * sites);
    host_sizes_ = Buffer<std::uint64_t, Pinned>(2 * sites);
    host_counts_ = Buffer<std::uint64_t, Pinned>(all_counts);
    amount_.reserve(2 * sites);
    by_root_.reserve(2 * sites);
}

void Borders<Cuda>::exchange_spins(Slice<Cuda>& slice) {
    const DeviceSlice& s = slice.view();
    kernels_.pack_face(queue_, s, 0, 0, halo_.to_previous().view());
    kernels_.pack_face(queue_, s, s.rows - s.rows_per_layer, shift_last_, halo_.to_next().view());
    halo_.start();
    halo_.finish();
    kernels_.unpack_face(queue_, s, -s.rows_per_layer, shift_below_, halo_.from_previous().view());
    kernels_.unpack_face(queue_, s, s.rows, 0, halo_.from_next().view());
}

/// Brings the list of border clusters to the host; returns how many labels the slice has.
std::uint64_t Borders<Cuda>::fetch_list(const Slice<Cuda>& slice) {
    kernels_.list_borders(queue_, slice.view(), view_);
    copy_to_host(queue_, std::span<std::uint64_t>(host_counts_), View<const std::uint64_t, Cuda>(slice.view().counts));
    copy_to_host(queue_, std::span<std::uint32_t>(host_seen_), std::as_const(seen_).view());
    queue_.wait();
    const std::size_t clusters = host_counts_[border_count];
    copy_to_host(queue_, std::span(host_roots_.data(), clusters), std::as_const(roots_).view().part(0, clusters));
    copy_to_host(queue_, std::span(host_coins_.data(), clusters), std::as_const(coins_).view().part(0, clusters));
    queue_.wait();
    return host_counts_[id_count];
}

void Borders<Cuda>::resolve_labels(Slice<Cuda>& slice) {
    if (comm_.size() == 1) return;
    labels_.begin(fetch_list(slice));
    const auto clusters = static_cast<std::uint32_t>(host_counts_[border_count]);
    for (std::uint32_t i = 0; i < clusters; ++i) labels_.add(host_roots_[i], host_coins_[i]);
    const std::size_t sites = view_.seen[0].size();
    for (std::size_t i = 0; i < 2 * sites; ++i)
        if (host_seen_[i] != DeviceBorders::none)
            (i < sites ? labels_.to_previous() : labels_.to_next()).push_back(host_seen_[i]);
    labels_.resolve();
    for (std::uint32_t i = 0; i < clusters; ++i) host_coins_[i] = labels_.coin(i);
    copy_to_device(queue_, view_.coin.part(0, clusters), std::span<const std::uint8_t>(host_coins_.data(), clusters));
    kernels_.set_border_coins(queue_, slice.view(), view_, clusters);
}

void Borders<Cuda>::sum_sizes(Slice<Cuda>& slice) {
    if (comm_.size() == 1) return;
    const auto clusters = static_cast<std::uint32_t>(labels_.count());
    kernels_.get_border_sizes(queue_, slice.view(), view_, clusters);
    copy_to_host(queue_, std::span(host_sizes_.data(), clusters), std::as_const(sizes_).view().part(0, clusters));
    queue_.wait();
    amount_.assign(host_sizes_.data(), host_sizes_.data() + clusters);
    by_root_.resize(clusters);
    std::iota(by_root_.begin(), by_root_.end(), 0u);
    std::ranges::sort(by_root_, {}, [&](std::uint32_t i) { return host_roots_[i]; });
    // what comes in are parts of clusters that end on this slice's borders: nobody else knows a label from here
    std::vector<std::uint64_t> received(clusters, 0);
    labels_.hand_to_owners(amount_, [&](std::uint32_t root, std::uint64_t more) {
        received[*std::ranges::lower_bound(by_root_, root, {}, [&](std::uint32_t i) { return host_roots_[i]; })] +=
            more;
    });
    for (std::uint32_t i = 0; i < clusters; ++i) host_sizes_[i] = amount_[i] + received[i];
    copy_to_device(queue_, view_.size.part(0, clusters), std::span<const std::uint64_t>(host_sizes_.data(), clusters));
    kernels_.set_border_sizes(queue_, slice.view(), view_, clusters);
}

}  // namespace strata::swendsen_wang
