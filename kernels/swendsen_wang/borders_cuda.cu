// SPDX-License-Identifier: BSD-3-Clause
// Borders of a slab on a device: spins of the border sites packed to one bit per site for the halo exchange, and the
// list of clusters that have an active bond to another slab for the resolution of labels.
#include "kernels/device_block.hpp"
#include "kernels/swendsen_wang/device_sweep.hpp"
#include "kernels/swendsen_wang/device_tile.hpp"

namespace strata::swendsen_wang::cuda {
namespace {

/// Number of border sites of a tile, and their bits.
template <int D>
constexpr std::uint32_t tile_border = static_cast<std::uint32_t>(boundary_sites(D));
template <int D>
constexpr std::uint64_t border_bits = first_sites(D, D - 1);

/// Number of tiles of a tile layer.
STRATA_HOST_DEVICE std::uint32_t layer_tiles(const DeviceSlab& s) {
    return static_cast<std::uint32_t>(s.rows_per_layer) * s.row_tiles;
}

/// One thread per word, which holds the border sites of several tiles.
template <int D>
__global__ void __launch_bounds__(group_tiles)
    pack_kernel(DeviceSlab s, int bit, std::int32_t row, int shift, View<std::uint64_t, Cuda> words) {
    constexpr std::uint32_t sites = tile_border<D>, per_word = 64 / sites;
    const std::uint32_t w = blockIdx.x * group_tiles + threadIdx.x;
    if (w >= words.size()) return;
    std::uint64_t word = 0;
    for (std::uint32_t i = 0; i < per_word && w * per_word + i < layer_tiles(s); ++i) {
        const TilePosition p = position_of(s, w * per_word + i, row);
        const std::uint64_t spins = s.spins[bit][s.word(p.row, p.column)] >> shift & border_bits<D>;
        word |= spins << (i * sites);
    }
    words[w] = word;
}

/// One thread per tile of the halo layer.
template <int D>
__global__ void __launch_bounds__(group_tiles)
    unpack_kernel(DeviceSlab s, int bit, std::int32_t row, int shift, View<const std::uint64_t, Cuda> words) {
    constexpr std::uint32_t sites = tile_border<D>, per_word = 64 / sites;
    const std::uint32_t n = blockIdx.x * group_tiles + threadIdx.x;
    if (n >= layer_tiles(s)) return;
    const TilePosition p = position_of(s, n, row);
    const std::uint64_t spins = words[n / per_word] >> (n % per_word * sites) & border_bits<D>;
    s.spins[bit][s.word(p.row, p.column)] = spins << shift;
}

/// Root of the component at a site of the border between the tile layer from local row `below` and the next one, or
/// none if the bond across the border is not active there. `own` is the first row of the one of the two layers that
/// belongs to this slab.
template <int D>
__device__ std::uint32_t border_root(const DeviceSlab& s, std::uint32_t site, std::int32_t below, std::int32_t own) {
    const std::uint32_t tile = site / tile_border<D>;
    const int i = static_cast<int>(site % tile_border<D>);
    const TilePosition p = position_of(s, tile, below);
    const int shift = row_of(s, p.row).shift[D - 2];
    if ((s.bonds[D - 1][s.word(p.row, p.column)] >> (shift + i) & 1) == 0) return DeviceBorders::none;
    const std::uint32_t n = s.index_of(own, 0) + tile;
    return s.parent[ids_of(s, n).first + ComponentPlanes<D>(s, n).at(own == below ? shift + i : i)];
}

/// One thread per site of the border to the previous (0) or next (1) slab. The first thread that finds a cluster appends
/// it to the list; only the order of the list depends on which thread that is.
template <int D>
__global__ void __launch_bounds__(group_tiles) list_kernel(DeviceSlab s, DeviceBorders b, int side) {
    const std::uint32_t sites = layer_tiles(s) * tile_border<D>, site = blockIdx.x * group_tiles + threadIdx.x;
    if (site >= sites || too_many_ids(s)) return;
    const std::int32_t last = s.rows - s.rows_per_layer;
    const std::uint32_t root =
        side == 0 ? border_root<D>(s, site, -s.rows_per_layer, 0) : border_root<D>(s, site, last, last);
    b.at_site[side][site] = root;
    if (root == DeviceBorders::none) return;
    constexpr std::uint32_t entering = DeviceBorders::none - 1;  // until its index is known
    if (atomicCAS(&b.cluster_of[root], DeviceBorders::none, entering) != DeviceBorders::none) return;
    auto* count = reinterpret_cast<unsigned long long*>(&s.counts[border_count]);
    const auto cluster = static_cast<std::uint32_t>(atomicAdd(count, 1ULL));
    b.root[cluster] = root;
    b.cluster_spin[cluster] = s.cluster_spin[root];
    gpu_store_relaxed(&b.cluster_of[root], cluster);
}

/// Replaces the roots at the border sites by the indices of their clusters.
__global__ void __launch_bounds__(group_tiles) index_sites_kernel(DeviceSlab s, DeviceBorders b) {
    const std::uint32_t i = blockIdx.x * group_tiles + threadIdx.x;
    if (too_many_ids(s)) return;
    for (const View<std::uint32_t, Cuda>& at_site : b.at_site)
        if (i < at_site.size() && at_site[i] != DeviceBorders::none) at_site[i] = b.cluster_of[at_site[i]];
}

/// Resets cluster_of to none for the next sweep.
__global__ void __launch_bounds__(group_tiles) reset_kernel(DeviceSlab s, DeviceBorders b) {
    const std::uint32_t i = blockIdx.x * group_tiles + threadIdx.x;
    if (i < s.counts[border_count]) b.cluster_of[b.root[i]] = DeviceBorders::none;
}

__global__ void __launch_bounds__(group_tiles) set_spins_kernel(DeviceSlab s, DeviceBorders b, std::uint32_t clusters) {
    const std::uint32_t i = blockIdx.x * group_tiles + threadIdx.x;
    if (i < clusters) s.cluster_spin[b.root[i]] = b.cluster_spin[i];
}

__global__ void __launch_bounds__(group_tiles) get_sizes_kernel(DeviceSlab s, DeviceBorders b, std::uint32_t clusters) {
    const std::uint32_t i = blockIdx.x * group_tiles + threadIdx.x;
    if (i < clusters) b.size[i] = s.size[b.root[i]];
}

__global__ void __launch_bounds__(group_tiles) set_sizes_kernel(DeviceSlab s, DeviceBorders b, std::uint32_t clusters) {
    const std::uint32_t i = blockIdx.x * group_tiles + threadIdx.x;
    if (i < clusters) s.size[b.root[i]] = b.size[i];
}

void pack_border(const Queue<Cuda>& queue, const DeviceSlab& s, int bit, std::int32_t row, int shift,
                 View<std::uint64_t, Cuda> words) {
    gpu_launch(queue, {"pack_border", gpu_blocks(words.size(), group_tiles), group_tiles},
               s.dimensions == 2 ? pack_kernel<2> : pack_kernel<3>, s, bit, row, shift, words);
}

void unpack_border(const Queue<Cuda>& queue, const DeviceSlab& s, int bit, std::int32_t row, int shift,
                   View<const std::uint64_t, Cuda> words) {
    gpu_launch(queue, {"unpack_border", gpu_blocks(layer_tiles(s), group_tiles), group_tiles},
               s.dimensions == 2 ? unpack_kernel<2> : unpack_kernel<3>, s, bit, row, shift, words);
}

void list_border_clusters(const Queue<Cuda>& queue, const DeviceSlab& s, const DeviceBorders& b) {
    const std::uint64_t sites =
        std::uint64_t{layer_tiles(s)} * static_cast<std::uint64_t>(boundary_sites(s.dimensions));
    for (const int side : {1, 0})  // clusters at the border to the next slab come first
        gpu_launch(queue, {"list_border_clusters", gpu_blocks(sites, group_tiles), group_tiles},
                   s.dimensions == 2 ? list_kernel<2> : list_kernel<3>, s, b, side);
    gpu_launch(queue, {"index_border_sites", gpu_blocks(sites, group_tiles), group_tiles}, index_sites_kernel, s, b);
    gpu_launch(queue, {"reset_border_clusters", gpu_blocks(2 * sites, group_tiles), group_tiles}, reset_kernel, s, b);
}

void set_border_spins(const Queue<Cuda>& queue, const DeviceSlab& s, const DeviceBorders& b, std::uint32_t clusters) {
    gpu_launch(queue, {"set_border_spins", gpu_blocks(clusters, group_tiles), group_tiles}, set_spins_kernel, s, b,
               clusters);
}

void get_border_sizes(const Queue<Cuda>& queue, const DeviceSlab& s, const DeviceBorders& b, std::uint32_t clusters) {
    gpu_launch(queue, {"get_border_sizes", gpu_blocks(clusters, group_tiles), group_tiles}, get_sizes_kernel, s, b,
               clusters);
}

void set_border_sizes(const Queue<Cuda>& queue, const DeviceSlab& s, const DeviceBorders& b, std::uint32_t clusters) {
    gpu_launch(queue, {"set_border_sizes", gpu_blocks(clusters, group_tiles), group_tiles}, set_sizes_kernel, s, b,
               clusters);
}

}  // namespace

void fill_borders(DeviceSweepKernels& table) {
    table.pack_border = pack_border;
    table.unpack_border = unpack_border;
    table.list_border_clusters = list_border_clusters;
    table.set_border_spins = set_border_spins;
    table.get_border_sizes = get_border_sizes;
    table.set_border_sizes = set_border_sizes;
}

}  // namespace strata::swendsen_wang::cuda
