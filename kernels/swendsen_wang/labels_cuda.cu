// SPDX-License-Identifier: BSD-3-Clause
// Components within tiles on a device: one thread finds the components of one tile by flood fill, on words of 64 sites,
// and numbers its boundary components in the order of their minimal sites (counters.hpp). Interior components are whole
// clusters: their cluster spin is drawn at once, and they need no id.
#include "kernels/device_block.hpp"
#include "kernels/swendsen_wang/device_sweep.hpp"
#include "kernels/swendsen_wang/device_tile.hpp"

namespace strata::swendsen_wang::cuda {
namespace {

/// Results of a thread for its tile, as stored in DeviceSlab. `Digits`: most binary digits of a state, 1 in the Ising
/// model, so that all arrays stay in registers there.
template <int D, int Digits>
struct LabelledTile {
    std::uint64_t plane[component_bits(D)];  ///< component index of each site; all ones in interior components
    std::uint64_t boundary_spins[Digits] = {}, interior_flips[Digits] = {};
    std::uint32_t boundary_components = 0;
};

/// Random cluster spins of the sites of a tile.
template <int Digits>
__device__ void draw_spins(const DeviceSlab& s, std::uint64_t tile, std::uint64_t (&random)[Digits]) {
    if constexpr (Digits == 1)
        random[0] = cluster_spin_word(s.sweep.seed, tile, s.sweep.index);
    else
        draw_states(s.sweep.states, TileDraws{s.sweep.seed, s.sweep.index, tile, Purpose::state}, random);
}

/// Labels a tile; calls on_interior(sites, count) for `count` interior components of `sites` sites each.
template <int D, int Digits, class OnInterior>
__device__ LabelledTile<D, Digits> label_tile(const DeviceSlab& s, TilePosition p, OnInterior on_interior) {
    std::uint64_t inside[D], leaving = 0, bonded = 0;
    for (int axis = 0; axis < D; ++axis) {
        const std::uint64_t bonds = s.bonds[axis][s.word(p.row, p.column)];
        const TileBoundary boundary = boundary_of<D>(s, p, axis);
        inside[axis] = bonds & ~boundary.last;
        leaving |= (bonds & boundary.last) | entering_bonds<D>(s, p, axis);
        bonded |= inside[axis] | inside[axis] << boundary.stride;
    }
    std::uint64_t random[Digits];
    draw_spins<Digits>(s, row_of(s, p.row).first_tile + p.column, random);
    const std::uint64_t alone = sites_of(s, p) & ~(bonded | leaving);

    LabelledTile<D, Digits> t;
    for (std::uint64_t& plane : t.plane) plane = ~std::uint64_t{0};
    for (int digit = 0; digit < Digits; ++digit) t.interior_flips[digit] = random[digit] & alone;
    on_interior(1, static_cast<std::uint32_t>(__popcll(alone)));
    const auto visit = [&](std::uint64_t sites, std::uint64_t minimum, ComponentKind kind) {
        for (int digit = 0; digit < Digits; ++digit) {
            const bool set = (random[digit] & minimum) != 0;
            if (kind == ComponentKind::interior) {
                if (set) t.interior_flips[digit] |= sites;
            } else {
                t.boundary_spins[digit] |= std::uint64_t{set} << t.boundary_components;
            }
        }
        if (kind == ComponentKind::interior) {
            on_interior(__popcll(sites), 1);
            return;
        }
        for (int bit = 0; bit < component_bits(D); ++bit)
            if ((t.boundary_components >> bit & 1) == 0) t.plane[bit] &= ~sites;
        ++t.boundary_components;
    };
    for_each_component<D>(inside, leaving, bonded & ~leaving, visit);
    return t;
}

template <int D, int Digits>
__global__ void __launch_bounds__(group_tiles) label_kernel(DeviceSlab s) {
    GPU_SHARED(std::uint32_t, of_size, sites_per_tile + 1);  // interior components of the group by size
    if (threadIdx.x <= sites_per_tile) of_size[threadIdx.x] = 0;
    __syncthreads();
    const std::uint32_t n = blockIdx.x * group_tiles + threadIdx.x;
    std::uint32_t boundary_components = 0;
    if (n < s.tiles) {
        const LabelledTile<D, Digits> t =
            label_tile<D, Digits>(s, position_of(s, n), [&](int sites, std::uint32_t components) {
                if (s.sweep.observed && components != 0)
                    atomicAdd(&of_size[static_cast<std::size_t>(sites)], components);
            });
        for (int bit = 0; bit < component_bits(D); ++bit) s.component[std::uint64_t{s.tiles} * bit + n] = t.plane[bit];
        for (int digit = 0; digit < Digits && digit < s.state_bits; ++digit) {
            s.interior_flips[digit][n] = t.interior_flips[digit];
            s.boundary_spins[digit][n] = t.boundary_spins[digit];
        }
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

void label_tiles(const Queue<Cuda>& queue, const DeviceSlab& s) {
    const auto kernel = s.state_bits == 1   ? (s.dimensions == 2 ? label_kernel<2, 1> : label_kernel<3, 1>)
                        : s.dimensions == 2 ? label_kernel<2, max_state_bits>
                                            : label_kernel<3, max_state_bits>;
    gpu_launch(queue, {"label_tiles", gpu_blocks(s.tiles, group_tiles), group_tiles}, kernel, s);
}

void assign_group_ids(const Queue<Cuda>& queue, const DeviceSlab& s) {
    gpu_launch(queue, {"assign_group_ids", dim3(1), scan_threads}, group_ids_kernel, s);
}

}  // namespace

void fill_labels(DeviceSweepKernels& table) {
    table.label_tiles = label_tiles;
    table.assign_group_ids = assign_group_ids;
}

}  // namespace strata::swendsen_wang::cuda
