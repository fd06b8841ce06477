// SPDX-License-Identifier: BSD-3-Clause
// Components within tiles on a device: one thread finds the components of one tile by flood fill, on words of 64 sites,
// and numbers its boundary components in the order of their minimal sites (counters.hpp). Interior components are whole
// clusters: their cluster spin is drawn at once, and they need no id.
#include "kernels/device_block.hpp"
#include "kernels/swendsen_wang/device_kernels.hpp"
#include "kernels/swendsen_wang/device_tile.hpp"

namespace strata::swendsen_wang::cuda {
namespace {

/// Results of a thread for its tile, as stored in DeviceSlab.
template <int D>
struct LabelledTile {
    std::uint64_t plane[component_bits(D)];  ///< component index of each site; all ones in interior components
    std::uint64_t boundary_spins = 0, interior_flips = 0;
    std::uint32_t boundary_components = 0;
};

/// Labels a tile; calls on_interior(sites, count) for `count` interior components of `sites` sites each.
template <int D, class OnInterior>
__device__ LabelledTile<D> label_tile(const DeviceSlab& s, TilePosition p, OnInterior on_interior) {
    std::uint64_t inside[D], leaving = 0, bonded = 0;
    for (int axis = 0; axis < D; ++axis) {
        const std::uint64_t bonds = s.bonds[axis][s.word(p.row, p.column)];
        const TileBoundary boundary = boundary_of<D>(s, p, axis);
        inside[axis] = bonds & ~boundary.last;
        leaving |= (bonds & boundary.last) | entering_bonds<D>(s, p, axis);
        bonded |= inside[axis] | inside[axis] << boundary.stride;
    }
    const std::uint64_t random = cluster_spin_word(s.sweep.seed, row_of(s, p.row).first_tile + p.column, s.sweep.index);
    const std::uint64_t alone = sites_of(s, p) & ~(bonded | leaving);

    LabelledTile<D> t;
    for (std::uint64_t& plane : t.plane) plane = ~std::uint64_t{0};
    t.interior_flips = random & alone;
    on_interior(1, static_cast<std::uint32_t>(__popcll(alone)));
    const auto visit = [&](std::uint64_t sites, std::uint64_t minimum, ComponentKind kind) {
        const bool flips = (random & minimum) != 0;
        if (kind == ComponentKind::interior) {
            if (flips) t.interior_flips |= sites;
            on_interior(__popcll(sites), 1);
            return;
        }
        for (int bit = 0; bit < component_bits(D); ++bit)
            if ((t.boundary_components >> bit & 1) == 0) t.plane[bit] &= ~sites;
        t.boundary_spins |= std::uint64_t{flips} << t.boundary_components;
        ++t.boundary_components;
    };
    for_each_component<D>(inside, leaving, bonded & ~leaving, visit);
    return t;
}

template <int D>
__global__ void __launch_bounds__(group_tiles) label_kernel(DeviceSlab s) {
    GPU_SHARED(std::uint32_t, of_size, sites_per_tile + 1);  // interior components of the group by size
    if (threadIdx.x <= sites_per_tile) of_size[threadIdx.x] = 0;
    __syncthreads();
    const std::uint32_t n = blockIdx.x * group_tiles + threadIdx.x;
    std::uint32_t boundary_components = 0;
    if (n < s.tiles) {
        const LabelledTile<D> t = label_tile<D>(s, position_of(s, n), [&](int sites, std::uint32_t components) {
            if (s.sweep.observed && components != 0) atomicAdd(&of_size[static_cast<std::size_t>(sites)], components);
        });
        for (int bit = 0; bit < component_bits(D); ++bit) s.component[std::uint64_t{s.tiles} * bit + n] = t.plane[bit];
        s.interior_flips[n] = t.interior_flips;
        s.boundary_spins[n] = t.boundary_spins;
        boundary_components = t.boundary_components;
    }
    std::uint32_t of_group = 0;
    const std::uint32_t before = sum_before<group_tiles>(boundary_components, of_group);
    if (n < s.tiles) s.id_range[n] = before << 8 | boundary_components;
    if (threadIdx.x == 0) s.group_first_id[blockIdx.x] = of_group;
    if (s.sweep.observed && threadIdx.x <= sites_per_tile && of_size[threadIdx.x] != 0)
        add_atomically(&s.counts[interior_size_count + threadIdx.x], of_size[threadIdx.x]);
}

constexpr unsigned scan_threads = 1024;

/// Replaces the groups' numbers of boundary components by their first ids: one block scans all groups.
__global__ void __launch_bounds__(scan_threads) group_ids_kernel(DeviceSlab s) {
    std::uint64_t before = 0;
    const std::uint32_t groups = (s.tiles + group_tiles - 1) / group_tiles;
    for (std::uint32_t first = 0; first < groups; first += scan_threads) {
        const std::uint32_t group = first + threadIdx.x;
        const std::uint32_t components = group < groups ? s.group_first_id[group] : 0;
        std::uint32_t of_all = 0;
        const std::uint64_t first_id = before + sum_before<scan_threads>(components, of_all);
        if (group < groups) s.group_first_id[group] = static_cast<std::uint32_t>(first_id);
        before += of_all;
    }
    if (threadIdx.x == 0) s.counts[id_count] = before;
}

}  // namespace

void label_tiles(const Queue<Cuda>& queue, const DeviceSlab& s) {
    gpu_launch(queue, {"label_tiles", gpu_blocks(s.tiles, group_tiles), group_tiles},
               s.dimensions == 2 ? label_kernel<2> : label_kernel<3>, s);
}

void assign_group_ids(const Queue<Cuda>& queue, const DeviceSlab& s) {
    gpu_launch(queue, {"assign_group_ids", dim3(1), scan_threads}, group_ids_kernel, s);
}

}  // namespace strata::swendsen_wang::cuda
