// SPDX-License-Identifier: BSD-3-Clause
#include "swendsen_wang/slice_cuda.hpp"

#include <algorithm>

#include "strata/error.hpp"

namespace strata::swendsen_wang {
namespace {

/// Bits from the first to the last site of a row's tiles along axis 1 or 2.
std::int32_t face_shift(const TileLattice& l, std::int64_t row, int axis) {
    const std::uint64_t width = l.width(axis, axis == l.slow_axis() ? l.layer_of(row) : l.in_layer(row));
    return static_cast<std::int32_t>(width - 1) * stride_of(l.dimensions, axis);
}

std::vector<DeviceRow> describe_rows(const TileLattice& l) {
    const auto per_layer = static_cast<std::int64_t>(l.rows_per_layer()), rows = static_cast<std::int64_t>(l.rows());
    std::vector<DeviceRow> all;
    for (std::int64_t row = -per_layer; row < rows + per_layer; ++row) {
        DeviceRow facts;
        facts.first_tile = l.first_tile(row);
        facts.sites = row_sites(l, row);
        for (int axis = 1; axis < l.dimensions; ++axis) {
            facts.next[axis - 1] = static_cast<std::int32_t>(l.next_row(row, axis));
            facts.shift[axis - 1] = face_shift(l, row, axis);
            if (row < 0) continue;  // nobody asks what lies below the halo
            facts.previous[axis - 1] = static_cast<std::int32_t>(l.previous_row(row, axis));
            facts.before_shift[axis - 1] = face_shift(l, l.previous_row(row, axis), axis);
        }
        all.push_back(facts);
    }
    return all;
}

/// Makes a buffer and lends it out.
template <class T>
View<T, Cuda> lend(Buffer<T, Cuda>& buffer, std::uint64_t size) {
    buffer = Buffer<T, Cuda>(size);
    return buffer.view();
}

}  // namespace

Slice<Cuda>::Slice(const SwendsenWangPlan& plan)
    : kernels_(device_sweep_kernels()), lattice_(plan.lattice()), alone_(plan.ranks() == 1) {
    const TileLattice& l = lattice_;
    const std::uint64_t tiles = l.slice_tiles(), words = l.stored_rows() * l.row_tiles(), ids = plan.id_capacity();
    view_.dimensions = l.dimensions;
    view_.row_tiles = static_cast<std::uint32_t>(l.row_tiles());
    view_.rows = static_cast<std::int32_t>(l.rows());
    view_.rows_per_layer = static_cast<std::int32_t>(l.rows_per_layer());
    view_.tiles = static_cast<std::uint32_t>(tiles);
    const std::uint64_t last_width = l.width(0, l.row_tiles() - 1);
    view_.last_column_shift = static_cast<std::int32_t>(last_width - 1);
    view_.last_column_sites = sites_below(l.dimensions, 0, last_width);
    view_.whole = l.layers.size() == l.all_layers();
    view_.lattice_sites = l.sites();
    view_.id_capacity = ids;
    view_.draw.seed = plan.config().seed;

    const std::vector<DeviceRow> rows = describe_rows(l);
    rows_ = Buffer<DeviceRow, Cuda>(rows.size());
    copy_to_device(queue_, rows_.view(), std::span<const DeviceRow>(rows));
    queue_.wait();
    view_.row_facts = rows_.view();
    view_.spins = lend(spins_, words);
    for (int axis = 0; axis < l.dimensions; ++axis) view_.bonds[axis] = lend(bonds_[axis], words);
    view_.codes = lend(codes_, static_cast<std::uint64_t>(code_bits(l.dimensions)) * tiles);
    view_.closed_flips = lend(closed_flips_, tiles);
    view_.open_coins = lend(open_coins_, tiles);
    view_.open = lend(open_, tiles);
    view_.group_base = lend(group_bases_, (tiles + group_tiles - 1) / group_tiles);
    view_.parent = lend(parents_, ids);
    view_.coin = lend(coins_, ids);
    view_.size = lend(sizes_, ids);
    view_.counts = lend(counts_, all_counts);
    for (Buffer<std::uint64_t, Pinned>& counts : host_counts_) {
        counts = Buffer<std::uint64_t, Pinned>(all_counts);
        std::fill(counts.begin(), counts.end(), 0);
    }
    sums_ = Buffer<ClusterSums, Cuda>(sum_warps(ids));
    host_sums_ = Buffer<ClusterSums, Pinned>(sum_warps(ids));

    std::uint64_t coordinates[3] = {l.row_tiles() * l.edge(), l.rows_per_layer() * l.edge(),
                                    l.layers.size() * l.edge()};
    if (l.dimensions == 2) coordinates[1] = coordinates[2], coordinates[2] = 0;
    planes_ = Buffer<std::uint64_t, Cuda>(coordinates[0] + coordinates[1] + coordinates[2]);
    host_planes_ = Buffer<std::uint64_t, Pinned>(planes_.size());
    std::uint64_t first = 0;
    for (int axis = 0; axis < 3; ++axis) {
        plane_of_[axis] = planes_.view().part(first, coordinates[axis]);
        first += coordinates[axis];
    }
}

void Slice<Cuda>::fill(Start start) {
    const std::uint64_t at_once = std::max<std::uint64_t>(1, checkpoint_slab_bytes / 8 / lattice_.row_tiles());
    std::vector<std::uint64_t> words;
    for (std::uint64_t row = 0; row < lattice_.rows(); row += at_once) {
        const Range rows = {row, std::min(row + at_once, lattice_.rows())};
        words.resize(rows.size() * lattice_.row_tiles());
        fill_spins(lattice_, view_.draw.seed, start, rows, lattice_.row_tiles(), 1, words.data());
        copy_to_device(queue_, own_spins().part(row * lattice_.row_tiles(), words.size()),
                       std::span<const std::uint64_t>(words));
        queue_.wait();
    }
}

DistributedArray Slice<Cuda>::spins() {
    DistributedArray array;
    array.shape = spin_shape(lattice_);
    array.rows = spin_rows(lattice_);
    const auto words_of = [this, first = array.rows.first](const Slab& slab) {  // rows lie one after another
        return own_spins().part((slab.rows.first - first) * lattice_.row_tiles() + slab.elements.first,
                                slab.elements.size());
    };
    array.read = [this, words_of](const Slab& slab, std::byte* to) {
        copy_to_host(queue_, std::span(reinterpret_cast<std::uint64_t*>(to), slab.elements.size()),
                     View<const std::uint64_t, Cuda>(words_of(slab)));
        wait();
    };
    array.write = [this, words_of](const Slab& slab, const std::byte* from) {
        copy_to_device(queue_, words_of(slab),
                       std::span(reinterpret_cast<const std::uint64_t*>(from), slab.elements.size()));
        queue_.wait();
    };
    return array;
}

void Slice<Cuda>::begin(const Sweep& sweep, Timers& timers) {
    view_.draw.sweep = sweep.number;
    view_.draw.threshold = sweep.bond.threshold;
    view_.draw.always = sweep.bond.always;
    view_.census = sweep.observed;
    if (!alone_) laps_.collect_all(timers);  // the halo exchange waits for the spins in any case
    laps_.begin(queue_, timers);
    check_ids(host_counts_[laps_.now()]);
    fill_bytes(queue_, view_.counts, 0);
}

void Slice<Cuda>::label(Timers& timers) {
    const struct {
        void (*kernel)(const Queue<Cuda>&, const DeviceSlice&);
        const char* phase;
    } phases[] = {{kernels_.draw_bonds, "bonds"},          {kernels_.label_tiles, "labels"},
                  {kernels_.number_groups, "numbers"},     {kernels_.merge_patches, "merge"},
                  {kernels_.join_patches, "join patches"}, {kernels_.compress, "compress"}};
    laps_.close(queue_, "");
    for (const auto& [kernel, phase] : phases) {
        kernel(queue_, view_);
        laps_.close(queue_, phase);
    }
    copy_to_host(queue_, std::span<std::uint64_t>(host_counts_[laps_.now()]),
                 View<const std::uint64_t, Cuda>(view_.counts));
    if (alone_) return;
    laps_.close(queue_, "");    // so that the counts are here too
    laps_.collect_all(timers);  // the border labels would be charged with these phases' time otherwise
    check_ids(host_counts_[laps_.now()]);
}

void Slice<Cuda>::count(Observation& observation) {
    const std::span<std::uint64_t> planes = count_planes();
    const Buffer<std::uint64_t, Pinned>& counts = host_counts_[laps_.now()];
    check_ids(counts);
    observation.add_spins(counts[aligned_count], counts[up_count]);
    std::size_t at = 0;
    for (int axis = 0; axis < lattice_.dimensions; ++axis)
        for (std::size_t i = 0; i < plane_of_[axis].size(); ++i) observation.planes()[axis][i] += planes[at++];
    const int shift = fourth_moment_shift(lattice_.sites());
    for (std::uint64_t size = 1; size <= sites_per_tile; ++size)
        observation.clusters().add(size, counts[closed_size_count + size], shift);
}

/// Up spins by coordinate, one axis after another. Waits for the counts of label() too.
std::span<std::uint64_t> Slice<Cuda>::count_planes() {
    fill_bytes(queue_, planes_.view(), 0);
    kernels_.count_planes(queue_, view_, plane_of_);
    copy_to_host(queue_, std::span<std::uint64_t>(host_planes_), std::as_const(planes_).view());
    queue_.wait();
    return host_planes_;
}

void Slice<Cuda>::sum_sizes(Observation& observation) {
    kernels_.sum_sizes(queue_, view_, sums_.view());
    copy_to_host(queue_, std::span<ClusterSums>(host_sums_), std::as_const(sums_).view());
    queue_.wait();
    for (const ClusterSums& sums : host_sums_) observation.clusters() += sums;
}

void Slice<Cuda>::flip(Timers&) {
    laps_.close(queue_, "");
    kernels_.flip_clusters(queue_, view_);
    laps_.close(queue_, "flip");
}

void Slice<Cuda>::finish(Timers& timers) {
    laps_.collect_all(timers);
    wait();
}

/// Throws if a sweep had more open components than foreseen.
void Slice<Cuda>::wait() {
    queue_.wait();
    for (const Buffer<std::uint64_t, Pinned>& counts : host_counts_) check_ids(counts);
}

void Slice<Cuda>::check_ids(const Buffer<std::uint64_t, Pinned>& counts) const {
    if (counts[id_count] > view_.id_capacity)
        throw Error(ExitCode::internal, "This configuration has more open components than foreseen.");
}

}  // namespace strata::swendsen_wang
