// SPDX-License-Identifier: BSD-3-Clause
// Bonds of Fortuin and Kasteleyn on a device: one thread draws those of one tile along all axes (tile_core.hpp).
#include "kernels/device_block.hpp"
#include "kernels/swendsen_wang/device_kernels.hpp"
#include "kernels/swendsen_wang/device_tile.hpp"

namespace strata::swendsen_wang::cuda {
namespace {

/// Bonds of a tile along one axis; adds its aligned pairs.
template <int D>
__device__ void draw_along(const DeviceSlice& s, TilePlace p, int axis, std::uint64_t here, std::uint64_t sites,
                           std::uint64_t& aligned) {
    const TilePlace next = next_tile(s, p, axis);
    const TileFace face = face_of<D>(s, p, axis);
    const std::uint64_t pairs = aligned_pairs(here, s.spins[s.word(next.row, next.column)], face) & sites;
    const std::uint64_t tile = row_of(s, p.row).first_tile + p.column;
    aligned += static_cast<std::uint64_t>(__popcll(pairs));
    s.bonds[axis][s.word(p.row, p.column)] = draw_tile_bonds(s.draw, tile, axis, pairs);
}

/// Rows are counted from the layer below the slice, of which only the bonds into the slice are drawn.
template <int D>
__global__ void __launch_bounds__(group_tiles) draw_kernel(DeviceSlice s) {
    const std::uint32_t n = blockIdx.x * blockDim.x + threadIdx.x;
    const std::uint32_t below = static_cast<std::uint32_t>(s.rows_per_layer) * s.row_tiles;
    std::uint64_t aligned = 0, up = 0;
    if (n < below + s.tiles) {
        const TilePlace p = place_of(s, n, -s.rows_per_layer);
        const std::uint64_t here = s.spins[s.word(p.row, p.column)], sites = sites_of(s, p);
        if (n < below) {
            std::uint64_t theirs = 0;
            draw_along<D>(s, p, D - 1, here, sites & face_of<D>(s, p, D - 1).last, theirs);
        } else {
            for (int axis = 0; axis < D; ++axis) draw_along<D>(s, p, axis, here, sites, aligned);
            up = static_cast<std::uint64_t>(__popcll(here & sites));
        }
    }
    add_over_warp(aligned, &s.counts[aligned_count]);
    add_over_warp(up, &s.counts[up_count]);
}

}  // namespace

void draw_bonds(const Queue<Cuda>& queue, const DeviceSlice& s) {
    const std::uint64_t tiles = std::uint64_t{s.tiles} + static_cast<std::uint64_t>(s.rows_per_layer) * s.row_tiles;
    gpu_launch(queue, {"draw_bonds", gpu_blocks(tiles, group_tiles), group_tiles},
               s.dimensions == 2 ? draw_kernel<2> : draw_kernel<3>, s);
}

}  // namespace strata::swendsen_wang::cuda
