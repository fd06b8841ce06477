// SPDX-License-Identifier: BSD-3-Clause
// Borders of a slice on a device: spins of a layer's face packed to one bit per site, and the clusters that have a bond
// to another slice.
#include "kernels/device_block.hpp"
#include "kernels/swendsen_wang/device_kernels.hpp"
#include "kernels/swendsen_wang/device_tile.hpp"

namespace strata::swendsen_wang::cuda {
namespace {

/// Sites of a tile on a face across the slow axis.
constexpr std::uint32_t face_sites(int dimensions) { return dimensions == 2 ? 8 : 16; }

STRATA_HOST_DEVICE std::uint32_t layer_tiles(const DeviceSlice& s) {
    return static_cast<std::uint32_t>(s.rows_per_layer) * s.row_tiles;
}

/// A thread per word, which holds the faces of several tiles.
template <int D>
__global__ void __launch_bounds__(group_tiles)
    pack_kernel(DeviceSlice s, std::int32_t row, int shift, View<std::uint64_t, Cuda> words) {
    constexpr std::uint32_t sites = face_sites(D), per_word = 64 / sites;
    const std::uint32_t w = blockIdx.x * group_tiles + threadIdx.x;
    if (w >= words.size()) return;
    std::uint64_t word = 0;
    for (std::uint32_t i = 0; i < per_word && w * per_word + i < layer_tiles(s); ++i) {
        const TilePlace p = place_of(s, w * per_word + i, row);
        const std::uint64_t face = s.spins[s.word(p.row, p.column)] >> shift & ((std::uint64_t{1} << sites) - 1);
        word |= face << (i * sites);
    }
    words[w] = word;
}

template <int D>
__global__ void __launch_bounds__(group_tiles)
    unpack_kernel(DeviceSlice s, std::int32_t row, int shift, View<const std::uint64_t, Cuda> words) {
    constexpr std::uint32_t sites = face_sites(D), per_word = 64 / sites;
    const std::uint32_t n = blockIdx.x * group_tiles + threadIdx.x;
    if (n >= layer_tiles(s)) return;
    const TilePlace p = place_of(s, n, row);
    const std::uint64_t face = words[n / per_word] >> (n % per_word * sites) & ((std::uint64_t{1} << sites) - 1);
    s.spins[s.word(p.row, p.column)] = face << shift;
}

/// Root of the component at a site of the border between the layer below local row `below` + 1 and the one above it,
/// or none if no bond crosses there. `own` is the row of the layer that belongs to this slice.
template <int D>
__device__ std::uint32_t border_root(const DeviceSlice& s, std::uint32_t site, std::int32_t below, std::int32_t own) {
    const std::uint32_t tile = site / face_sites(D);
    const int i = static_cast<int>(site % face_sites(D));
    const TilePlace p = place_of(s, tile, below);
    const int shift = row_of(s, p.row).shift[D - 2];
    if ((s.bonds[D - 1][s.word(p.row, p.column)] >> (shift + i) & 1) == 0) return DeviceBorders::none;
    const std::uint32_t n = s.number(own, 0) + tile;
    return s.parent[open_ids(s, n).first + TileCodes<D>(s, n).code(own == below ? shift + i : i)];
}

/// A thread per border site, first the border to the previous slice, then to the next one. The first to meet a cluster
/// enters it; which one that is changes the order of the list and nothing else.
template <int D>
__global__ void __launch_bounds__(group_tiles) list_kernel(DeviceSlice s, DeviceBorders b) {
    const std::uint32_t sites = layer_tiles(s) * face_sites(D), i = blockIdx.x * group_tiles + threadIdx.x;
    if (i >= 2 * sites || too_many_ids(s)) return;
    const std::int32_t last = s.rows - s.rows_per_layer;
    const std::uint32_t site = i % sites, side = i / sites;
    const std::uint32_t root =
        side == 0 ? border_root<D>(s, site, -s.rows_per_layer, 0) : border_root<D>(s, site, last, last);
    b.seen[side][site] = root;
    if (root == DeviceBorders::none) return;
    constexpr std::uint32_t entering = DeviceBorders::none - 1;
    if (atomicCAS(&b.cluster_of[root], DeviceBorders::none, entering) != DeviceBorders::none) return;
    auto* count = reinterpret_cast<unsigned long long*>(&s.counts[border_count]);
    const auto cluster = static_cast<std::uint32_t>(atomicAdd(count, 1ULL));
    b.root[cluster] = root;
    b.coin[cluster] = s.coin[root];
    gpu_store_relaxed(&b.cluster_of[root], cluster);
}

/// Roots to clusters.
__global__ void __launch_bounds__(group_tiles) name_kernel(DeviceSlice s, DeviceBorders b) {
    const std::uint32_t i = blockIdx.x * group_tiles + threadIdx.x;
    if (too_many_ids(s)) return;
    for (const View<std::uint32_t, Cuda>& seen : b.seen)
        if (i < seen.size() && seen[i] != DeviceBorders::none) seen[i] = b.cluster_of[seen[i]];
}

/// Leaves cluster_of as it was found.
__global__ void __launch_bounds__(group_tiles) forget_kernel(DeviceSlice s, DeviceBorders b) {
    const std::uint32_t i = blockIdx.x * group_tiles + threadIdx.x;
    if (i < s.counts[border_count]) b.cluster_of[b.root[i]] = DeviceBorders::none;
}

__global__ void __launch_bounds__(group_tiles)
    set_coins_kernel(DeviceSlice s, DeviceBorders b, std::uint32_t clusters) {
    const std::uint32_t i = blockIdx.x * group_tiles + threadIdx.x;
    if (i < clusters) s.coin[b.root[i]] = b.coin[i];
}

__global__ void __launch_bounds__(group_tiles)
    get_sizes_kernel(DeviceSlice s, DeviceBorders b, std::uint32_t clusters) {
    const std::uint32_t i = blockIdx.x * group_tiles + threadIdx.x;
    if (i < clusters) b.size[i] = s.size[b.root[i]];
}

__global__ void __launch_bounds__(group_tiles)
    set_sizes_kernel(DeviceSlice s, DeviceBorders b, std::uint32_t clusters) {
    const std::uint32_t i = blockIdx.x * group_tiles + threadIdx.x;
    if (i < clusters) s.size[b.root[i]] = b.size[i];
}

}  // namespace

void pack_face(const Queue<Cuda>& queue, const DeviceSlice& s, std::int32_t row, int shift,
               View<std::uint64_t, Cuda> words) {
    gpu_launch(queue, {"pack_face", gpu_blocks(words.size(), group_tiles), group_tiles},
               s.dimensions == 2 ? pack_kernel<2> : pack_kernel<3>, s, row, shift, words);
}

void unpack_face(const Queue<Cuda>& queue, const DeviceSlice& s, std::int32_t row, int shift,
                 View<const std::uint64_t, Cuda> words) {
    gpu_launch(queue, {"unpack_face", gpu_blocks(layer_tiles(s), group_tiles), group_tiles},
               s.dimensions == 2 ? unpack_kernel<2> : unpack_kernel<3>, s, row, shift, words);
}

void list_borders(const Queue<Cuda>& queue, const DeviceSlice& s, const DeviceBorders& b) {
    const std::uint64_t sites = std::uint64_t{layer_tiles(s)} * face_sites(s.dimensions);
    gpu_launch(queue, {"list_borders", gpu_blocks(2 * sites, group_tiles), group_tiles},
               s.dimensions == 2 ? list_kernel<2> : list_kernel<3>, s, b);
    gpu_launch(queue, {"name_borders", gpu_blocks(sites, group_tiles), group_tiles}, name_kernel, s, b);
    gpu_launch(queue, {"forget_borders", gpu_blocks(2 * sites, group_tiles), group_tiles}, forget_kernel, s, b);
}

void set_border_coins(const Queue<Cuda>& queue, const DeviceSlice& s, const DeviceBorders& b, std::uint32_t clusters) {
    gpu_launch(queue, {"set_border_coins", gpu_blocks(clusters, group_tiles), group_tiles}, set_coins_kernel, s, b,
               clusters);
}

void get_border_sizes(const Queue<Cuda>& queue, const DeviceSlice& s, const DeviceBorders& b, std::uint32_t clusters) {
    gpu_launch(queue, {"get_border_sizes", gpu_blocks(clusters, group_tiles), group_tiles}, get_sizes_kernel, s, b,
               clusters);
}

void set_border_sizes(const Queue<Cuda>& queue, const DeviceSlice& s, const DeviceBorders& b, std::uint32_t clusters) {
    gpu_launch(queue, {"set_border_sizes", gpu_blocks(clusters, group_tiles), group_tiles}, set_sizes_kernel, s, b,
               clusters);
}

}  // namespace strata::swendsen_wang::cuda
