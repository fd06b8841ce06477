// SPDX-License-Identifier: BSD-3-Clause
// Components within tiles on a device: one thread floods one tile, 64 sites to a word, and numbers its open components
// in canonical order (counters.hpp). Closed components are whole clusters: they flip or stay by their own coin and need
// no number.
#include "kernels/device_block.hpp"
#include "kernels/swendsen_wang/device_kernels.hpp"
#include "kernels/swendsen_wang/device_tile.hpp"

namespace strata::swendsen_wang::cuda {
namespace {

/// What a thread finds out about its tile.
template <int D>
struct TileComponents {
    std::uint64_t plane[code_bits(D)];  ///< all ones for sites that are in no open component
    std::uint64_t open_coins = 0, closed_flips = 0;
    std::uint32_t open_count = 0;
};

/// `on_closed(sites, components)` is told of closed components of the same size.
template <int D, class OnClosed>
__device__ TileComponents<D> label_tile(const DeviceSlice& s, TilePlace p, OnClosed on_closed) {
    std::uint64_t inside[D], open = 0, bonded = 0;
    for (int axis = 0; axis < D; ++axis) {
        const std::uint64_t bonds = s.bonds[axis][s.word(p.row, p.column)];
        const TileFace face = face_of<D>(s, p, axis);
        inside[axis] = bonds & ~face.last;
        open |= (bonds & face.last) | entering_bonds<D>(s, p, axis);
        bonded |= inside[axis] | inside[axis] << face.stride;
    }
    const std::uint64_t coins = coin_word(s.draw.seed, row_of(s, p.row).first_tile + p.column, s.draw.sweep);
    const std::uint64_t alone = sites_of(s, p) & ~(bonded | open);

    TileComponents<D> t;
    for (std::uint64_t& plane : t.plane) plane = ~std::uint64_t{0};
    t.closed_flips = coins & alone;
    on_closed(1, static_cast<std::uint32_t>(__popcll(alone)));
    for_each_component<D>(inside, open, bonded & ~open, [&](std::uint64_t sites, std::uint64_t seed, Component kind) {
        const bool coin = (coins & seed) != 0;
        if (kind == Component::closed) {
            if (coin) t.closed_flips |= sites;
            on_closed(__popcll(sites), 1);
            return;
        }
        for (int bit = 0; bit < code_bits(D); ++bit)
            if ((t.open_count >> bit & 1) == 0) t.plane[bit] &= ~sites;
        t.open_coins |= std::uint64_t{coin} << t.open_count;
        ++t.open_count;
    });
    return t;
}

template <int D>
__global__ void __launch_bounds__(group_tiles) label_kernel(DeviceSlice s) {
    GPU_SHARED(std::uint32_t, of_size, sites_per_tile + 1);
    if (threadIdx.x <= sites_per_tile) of_size[threadIdx.x] = 0;
    __syncthreads();
    const std::uint32_t n = blockIdx.x * group_tiles + threadIdx.x;
    std::uint32_t open_count = 0;
    if (n < s.tiles) {
        const TileComponents<D> t = label_tile<D>(s, place_of(s, n), [&](int sites, std::uint32_t components) {
            if (s.census && components != 0) atomicAdd(&of_size[static_cast<std::size_t>(sites)], components);
        });
        for (int bit = 0; bit < code_bits(D); ++bit) s.codes[std::uint64_t{s.tiles} * bit + n] = t.plane[bit];
        s.closed_flips[n] = t.closed_flips;
        s.open_coins[n] = t.open_coins;
        open_count = t.open_count;
    }
    std::uint32_t of_group = 0;
    const std::uint32_t before = sum_before<group_tiles>(open_count, of_group);
    if (n < s.tiles) s.open[n] = before << 8 | open_count;
    if (threadIdx.x == 0) s.group_base[blockIdx.x] = of_group;
    if (s.census && threadIdx.x <= sites_per_tile && of_size[threadIdx.x] != 0)
        add_atomically(&s.counts[closed_size_count + threadIdx.x], of_size[threadIdx.x]);
}

constexpr unsigned scan_threads = 1024;

/// Groups' numbers of open components to their first ids, in place: one block walks over all of them.
__global__ void __launch_bounds__(scan_threads) number_kernel(DeviceSlice s) {
    std::uint64_t before = 0;
    const std::uint32_t groups = (s.tiles + group_tiles - 1) / group_tiles;
    for (std::uint32_t first = 0; first < groups; first += scan_threads) {
        const std::uint32_t group = first + threadIdx.x;
        const std::uint32_t open = group < groups ? s.group_base[group] : 0;
        std::uint32_t of_all = 0;
        const std::uint64_t base = before + sum_before<scan_threads>(open, of_all);
        if (group < groups) s.group_base[group] = static_cast<std::uint32_t>(base);
        before += of_all;
    }
    if (threadIdx.x == 0) s.counts[id_count] = before;
}

}  // namespace

void label_tiles(const Queue<Cuda>& queue, const DeviceSlice& s) {
    gpu_launch(queue, {"label_tiles", gpu_blocks(s.tiles, group_tiles), group_tiles},
               s.dimensions == 2 ? label_kernel<2> : label_kernel<3>, s);
}

void number_groups(const Queue<Cuda>& queue, const DeviceSlice& s) {
    gpu_launch(queue, {"number_groups", dim3(1), scan_threads}, number_kernel, s);
}

}  // namespace strata::swendsen_wang::cuda
