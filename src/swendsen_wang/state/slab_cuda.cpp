// SPDX-License-Identifier: BSD-3-Clause
// Allocation of a slab on a device, and the calls of the kernels of a sweep. The counters of a sweep are copied to the
// host in the same queue and read after they have arrived, so that the device never waits for the host. An overflow of
// the ids is therefore reported one or two sweeps late; this is harmless because the kernels then write nothing.
#include "swendsen_wang/state/slab_cuda.hpp"

#include <algorithm>
#include <utility>

#include "strata/error.hpp"

namespace strata::swendsen_wang {
namespace {

/// Properties of all tile rows, from the halo layer below the slab to the one above it.
std::vector<DeviceTileRow> describe_rows(const TileLattice& l) {
    const auto per_layer = static_cast<std::int64_t>(l.rows_per_layer()), rows = static_cast<std::int64_t>(l.rows());
    std::vector<DeviceTileRow> all;
    for (std::int64_t row = -per_layer; row < rows + per_layer; ++row) {
        DeviceTileRow properties;
        properties.first_tile = l.first_tile(row);
        properties.sites = row_sites(l, row);
        for (int axis = 1; axis < l.dimensions; ++axis) {
            properties.next[axis - 1] = static_cast<std::int32_t>(l.next_row(row, axis));
            properties.shift[axis - 1] = l.boundary_shift(row, axis);
            properties.at_end[axis - 1] = l.at_end(row, axis);
            if (row < 0) continue;  // no kernel reads the rows before the halo layer
            properties.previous[axis - 1] = static_cast<std::int32_t>(l.previous_row(row, axis));
            properties.previous_shift[axis - 1] = l.boundary_shift(l.previous_row(row, axis), axis);
        }
        all.push_back(properties);
    }
    return all;
}

}  // namespace

Slab<Cuda>::Slab(const SwendsenWangPlan& plan)
    : kernels_(device_sweep_kernels()), lattice_(plan.lattice()), alone_(plan.ranks() == 1) {
    view_.id_capacity = plan.id_capacity();
    view_.sweep.seed = plan.config().seed;
    view_.sweep.states = plan.config().states;
    view_.state_bits = plan.config().state_bits();
    set_geometry();
    allocate_spins_and_bonds(plan.config().has_metropolis());
    allocate_labels();
    allocate_observation();
}

/// Sets the extents of the slab in tiles and the properties of tile rows, which are constant during the run.
void Slab<Cuda>::set_geometry() {
    const TileLattice& l = lattice_;
    const std::uint64_t last_width = l.width(0, l.row_tiles() - 1);
    view_.dimensions = l.dimensions;
    view_.row_tiles = static_cast<std::uint32_t>(l.row_tiles());
    view_.rows = static_cast<std::int32_t>(l.rows());
    view_.rows_per_layer = static_cast<std::int32_t>(l.rows_per_layer());
    view_.tiles = static_cast<std::uint32_t>(l.slab_tiles());
    view_.last_column_shift = static_cast<std::int32_t>(last_width - 1);
    view_.last_column_sites = sites_below(l.dimensions, 0, last_width);
    view_.whole = l.layers.size() == l.all_layers();
    view_.lattice_sites = l.sites();
    const std::vector<DeviceTileRow> rows = describe_rows(l);
    view_.tile_rows = allocate(tile_rows_, rows.size());
    copy_to_device(queue_, tile_rows_.view(), std::span<const DeviceTileRow>(rows));
    queue_.wait();
}

/// Allocates spins and bonds, with a halo layer of tile rows on both sides.
void Slab<Cuda>::allocate_spins_and_bonds(bool metropolis) {
    const std::uint64_t words = lattice_.stored_rows() * lattice_.row_tiles();
    for (int bit = 0; bit < view_.state_bits; ++bit) view_.spins[bit] = allocate(spins_[bit], words);
    if (metropolis) view_.next_spins = allocate(next_spins_, words);
    for (int axis = 0; axis < lattice_.dimensions; ++axis) view_.bonds[axis] = allocate(bonds_[axis], words);
}

/// Allocates the components of each tile and the union-find over their ids.
void Slab<Cuda>::allocate_labels() {
    const std::uint64_t tiles = lattice_.slab_tiles(), ids = view_.id_capacity;
    view_.component = allocate(components_, static_cast<std::uint64_t>(component_bits(lattice_.dimensions)) * tiles);
    for (int bit = 0; bit < view_.state_bits; ++bit) {
        view_.interior_flips[bit] = allocate(interior_flips_[bit], tiles);
        view_.boundary_spins[bit] = allocate(boundary_spins_[bit], tiles);
    }
    view_.id_range = allocate(id_ranges_, tiles);
    view_.group_first_id = allocate(group_first_ids_, (tiles + group_tiles - 1) / group_tiles);
    view_.parent = allocate(parents_, ids);
    view_.cluster_spin = allocate(cluster_spins_, ids);
    view_.size = allocate(sizes_, ids);
    view_.counts = allocate(counts_, all_counts);
    for (Buffer<std::uint64_t, Pinned>& counts : host_counts_) {
        allocate(counts, all_counts);
        std::fill(counts.begin(), counts.end(), 0);
    }
}

/// Allocates the moments of cluster sizes and the up spins by coordinate. The number of coordinates is rounded up to
/// whole tiles.
void Slab<Cuda>::allocate_observation() {
    allocate(moments_, moment_warps(view_.id_capacity));
    allocate(host_moments_, moment_warps(view_.id_capacity));
    const TileLattice& l = lattice_;
    std::uint64_t coordinates[3] = {l.row_tiles() * l.edge(), l.rows_per_layer() * l.edge(),
                                    l.layers.size() * l.edge()};
    if (l.dimensions == 2) coordinates[1] = coordinates[2], coordinates[2] = 0;
    if (view_.sweep.states > 2) {
        allocate(states_, static_cast<std::uint64_t>(view_.sweep.states));
        allocate(host_states_, states_.size());
    }
    allocate(planes_, coordinates[0] + coordinates[1] + coordinates[2]);
    allocate(host_planes_, planes_.size());
    std::uint64_t first = 0;
    for (int axis = 0; axis < 3; ++axis) {
        plane_of_[axis] = planes_.view().part(first, coordinates[axis]);
        first += coordinates[axis];
    }
}

/// Draws the spins on the host, in parts of bounded size, and copies them to the device.
void Slab<Cuda>::fill(const FirstSpins& first) {
    const std::uint64_t at_once = std::max<std::uint64_t>(1, checkpoint_slab_bytes / 8 / lattice_.row_tiles());
    std::vector<std::uint64_t> words;
    for (int bit = 0; bit < view_.state_bits; ++bit)
        for (std::uint64_t row = 0; row < lattice_.rows(); row += at_once) {
            const Range rows = {row, std::min(row + at_once, lattice_.rows())};
            words.resize(rows.size() * lattice_.row_tiles());
            fill_spins(lattice_, first, bit, rows, lattice_.row_tiles(), 1, words.data());
            copy_to_device(queue_, own_spins(bit).part(row * lattice_.row_tiles(), words.size()),
                           std::span<const std::uint64_t>(words));
            queue_.wait();
        }
}

std::vector<DistributedArray> Slab<Cuda>::state() {
    std::vector<DistributedArray> arrays;
    for (int bit = 0; bit < view_.state_bits; ++bit) arrays.push_back(spins(bit));
    return arrays;
}

/// Digit `bit` of the spins as an array of the state. Parts of the array are copied from and to the device on demand,
/// so that the host never holds a full copy.
DistributedArray Slab<Cuda>::spins(int bit) {
    DistributedArray array;
    array.shape = spin_shape(lattice_, view_.sweep.states, bit);
    array.rows = spin_rows(lattice_);
    const auto words_of = [this, bit, first = array.rows.first](const ArraySlab& part) {  // rows are contiguous
        return own_spins(bit).part((part.rows.first - first) * lattice_.row_tiles() + part.elements.first,
                                   part.elements.size());
    };
    array.read = [this, words_of](const ArraySlab& part, std::byte* to) {
        copy_to_host(queue_, std::span(reinterpret_cast<std::uint64_t*>(to), part.elements.size()),
                     View<const std::uint64_t, Cuda>(words_of(part)));
        wait();
    };
    array.write = [this, words_of](const ArraySlab& part, const std::byte* from) {
        copy_to_device(queue_, words_of(part),
                       std::span(reinterpret_cast<const std::uint64_t*>(from), part.elements.size()));
        queue_.wait();
    };
    return array;
}

/// Checks the counts of the sweep before last, which have arrived, and resets the counters.
void Slab<Cuda>::begin(const Sweep& sweep, Timers& timers) {
    view_.sweep = sweep;
    if (!alone_) event_timers_.collect_all(timers);  // no extra delay: the halo exchange waits for the spins
    event_timers_.begin(queue_, timers);
    check_ids(host_counts_[event_timers_.now()]);
    fill_bytes(queue_, view_.counts, 0);
}

/// The new spins become the spins; two updates bring both arrays back to their places.
void Slab<Cuda>::update_colour(const MetropolisTable& table, int colour, Timers&) {
    event_timers_.close(queue_, "");
    kernels_.update_colour(queue_, view_, table, colour);
    event_timers_.close(queue_, "metropolis");
    std::swap(view_.spins[0], view_.next_spins);
}

/// Queues the kernels of all phases and the copy of the counts. With other ranks it waits for their completion, because
/// the border labels need the result.
void Slab<Cuda>::draw_and_label(Timers& timers) {
    const struct {
        void (*kernel)(const Queue<Cuda>&, const DeviceSlab&);
        const char* phase;
    } phases[] = {{kernels_.draw_bonds, "bonds"},
                  {kernels_.label_tiles, "labels"},
                  {kernels_.assign_group_ids, "numbering"},
                  {kernels_.unite_within_blocks, "union"},
                  {kernels_.unite_across_blocks, "union across blocks"},
                  {kernels_.compress_paths, "path compression"}};
    event_timers_.close(queue_, "");
    for (const auto& [kernel, phase] : phases) {
        kernel(queue_, view_);
        event_timers_.close(queue_, phase);
    }
    if (view_.sweep.ghost.binds()) {
        kernels_.bind_clusters(queue_, view_);
        event_timers_.close(queue_, "ghost spin");
    }
    copy_counts();
    if (alone_) return;
    event_timers_.close(queue_, "");    // an event after the copy of the counts
    event_timers_.collect_all(timers);  // the host waits here, so that "border labels" does not include these phases
    check_ids(host_counts_[event_timers_.now()]);
}

/// Queues a copy of the counts of this sweep to the host.
void Slab<Cuda>::copy_counts() {
    copy_to_host(queue_, std::span<std::uint64_t>(host_counts_[event_timers_.now()]),
                 View<const std::uint64_t, Cuda>(view_.counts));
}

/// They are counted with bonds, which take a tenth of a sweep and which the sweep itself draws again.
void Slab<Cuda>::count_spins(Observation& observation, Timers&) {
    event_timers_.close(queue_, "");
    kernels_.draw_bonds(queue_, view_);
    event_timers_.close(queue_, "energies");
    copy_counts();
    wait();
    const Buffer<std::uint64_t, Pinned>& counts = host_counts_[event_timers_.now()];
    observation.add_spins(counts[satisfied_count], counts[up_count]);
}

/// Adds the counts of the sweep. The kernels of the unions have summed the sizes of boundary components already.
void Slab<Cuda>::count(Observation& observation) {
    if (view_.sweep.states > 2) count_states();
    count_planes();
    queue_.wait();  // also for the copy of the counts by draw_and_label()
    const Buffer<std::uint64_t, Pinned>& counts = host_counts_[event_timers_.now()];
    check_ids(counts);
    observation.add_spins(counts[satisfied_count], counts[up_count]);
    for (std::size_t state = 0; state < host_states_.size(); ++state)
        observation.states()[state] += host_states_[state];
    add_planes(observation);
    const int shift = fourth_moment_shift(lattice_.sites());
    for (std::uint64_t size = 1; size <= sites_per_tile; ++size) {
        observation.clusters().add(size, counts[interior_size_count + size], shift);
        observation.clusters().add_bound(size, counts[bound_size_count + size]);
    }
}

/// The wait for the spins is one for the planes, too.
void Slab<Cuda>::count_spins_and_planes(Observation& observation, Timers& timers) {
    count_planes();
    count_spins(observation, timers);
    add_planes(observation);
}

void Slab<Cuda>::add_planes(Observation& observation) const {
    std::size_t at = 0;
    for (int axis = 0; axis < lattice_.dimensions; ++axis)
        for (std::size_t i = 0; i < plane_of_[axis].size(); ++i) observation.planes()[axis][i] += host_planes_[at++];
}

/// Begins to count the up spins, or odd states, by coordinate, one axis after another.
void Slab<Cuda>::count_planes() {
    fill_bytes(queue_, planes_.view(), 0);
    kernels_.count_planes(queue_, view_, plane_of_);
    copy_to_host(queue_, std::span<std::uint64_t>(host_planes_), std::as_const(planes_).view());
}

/// Begins to count the sites in each state of the Potts model.
void Slab<Cuda>::count_states() {
    fill_bytes(queue_, states_.view(), 0);
    kernels_.count_states(queue_, view_, states_.view());
    copy_to_host(queue_, std::span<std::uint64_t>(host_states_), std::as_const(states_).view());
}

/// Every warp writes one partial sum; the host adds them.
void Slab<Cuda>::accumulate_moments(Observation& observation) {
    kernels_.accumulate_moments(queue_, view_, moments_.view());
    copy_to_host(queue_, std::span<ClusterMoments>(host_moments_), std::as_const(moments_).view());
    queue_.wait();
    for (const ClusterMoments& moments : host_moments_) observation.clusters() += moments;
}

void Slab<Cuda>::flip(Timers&) {
    event_timers_.close(queue_, "");
    kernels_.flip_clusters(queue_, view_);
    event_timers_.close(queue_, "flip");
}

void Slab<Cuda>::finish(Timers& timers) {
    event_timers_.collect_all(timers);
    wait();
}

/// Waits for all queued work; throws if a sweep had more boundary components than ids.
void Slab<Cuda>::wait() {
    queue_.wait();
    for (const Buffer<std::uint64_t, Pinned>& counts : host_counts_) check_ids(counts);
}

void Slab<Cuda>::check_ids(const Buffer<std::uint64_t, Pinned>& counts) const {
    if (counts[id_count] > view_.id_capacity)
        throw Error(ExitCode::internal, "This configuration has more boundary components than foreseen.");
}

}  // namespace strata::swendsen_wang
