// SPDX-License-Identifier: BSD-3-Clause
// Active bonds of Fortuin and Kasteleyn on a device. One thread draws the bonds of one tile along all axes, with the
// arithmetic of tile_core.hpp and the random words of counters.hpp, so that the bonds are the same as on the CPU.
#include "kernels/device_block.hpp"
#include "kernels/swendsen_wang/device_sweep.hpp"
#include "kernels/swendsen_wang/device_tile.hpp"

namespace strata::swendsen_wang::cuda {
namespace {

/// Draws the bonds of a tile along one axis; adds its satisfied bonds.
template <int D>
__device__ void draw_along(const DeviceSlab& s, TilePosition p, int axis, std::uint64_t sites,
                           std::uint64_t& satisfied) {
    const TilePosition next = next_tile(s, p, axis);
    const TileBoundary boundary = boundary_of<D>(s, p, axis);
    const std::uint64_t tile = row_of(s, p.row).first_tile + p.column;
    std::uint64_t equal = ~std::uint64_t{0};
    for (int bit = 0; bit < s.state_bits; ++bit)
        equal &= equal_neighbours(s.spins[bit][s.word(p.row, p.column)], s.spins[bit][s.word(next.row, next.column)],
                                  boundary);
    const std::uint64_t across = at_end(s, p, axis) ? boundary.last & sites : 0;
    const std::uint64_t bonds = satisfied_bonds(s.sweep.couplings, tile, axis, equal, sites, across);
    satisfied += static_cast<std::uint64_t>(__popcll(bonds));
    s.bonds[axis][s.word(p.row, p.column)] = draw_tile_bonds(s.sweep, tile, axis, bonds);
}

/// One thread per tile, counted from the halo layer below the slab, of which only the bonds into the slab are drawn.
template <int D>
__global__ void __launch_bounds__(group_tiles) draw_kernel(DeviceSlab s) {
    const std::uint32_t n = blockIdx.x * blockDim.x + threadIdx.x;
    const std::uint32_t below = static_cast<std::uint32_t>(s.rows_per_layer) * s.row_tiles;
    std::uint64_t satisfied = 0, up = 0;
    if (n < below + s.tiles) {
        const TilePosition p = position_of(s, n, -s.rows_per_layer);
        const std::uint64_t sites = sites_of(s, p);
        if (n < below) {
            std::uint64_t not_counted = 0;  // the slab below counts them
            draw_along<D>(s, p, D - 1, sites & boundary_of<D>(s, p, D - 1).last, not_counted);
        } else {
            for (int axis = 0; axis < D; ++axis) draw_along<D>(s, p, axis, sites, satisfied);
            up = static_cast<std::uint64_t>(__popcll(s.spins[0][s.word(p.row, p.column)] & sites));
        }
    }
    add_over_warp(satisfied, &s.counts[satisfied_count]);
    add_over_warp(up, &s.counts[up_count]);
}

void draw_bonds(const Queue<Cuda>& queue, const DeviceSlab& s) {
    const std::uint64_t tiles = std::uint64_t{s.tiles} + static_cast<std::uint64_t>(s.rows_per_layer) * s.row_tiles;
    gpu_launch(queue, {"draw_bonds", gpu_blocks(tiles, group_tiles), group_tiles},
               s.dimensions == 2 ? draw_kernel<2> : draw_kernel<3>, s);
}

}  // namespace

// Parts of the table that other files fill.
void fill_labels(DeviceSweepKernels&);
void fill_unions(DeviceSweepKernels&);
void fill_ghost(DeviceSweepKernels&);
void fill_flips(DeviceSweepKernels&);
void fill_cluster_statistics(DeviceSweepKernels&);
void fill_metropolis(DeviceSweepKernels&);
void fill_borders(DeviceSweepKernels&);

}  // namespace strata::swendsen_wang::cuda

namespace strata::swendsen_wang {

const DeviceSweepKernels& device_sweep_kernels() {
    static const DeviceSweepKernels kernels = [] {
        DeviceSweepKernels table = {};
        table.draw_bonds = cuda::draw_bonds;
        cuda::fill_labels(table);
        cuda::fill_unions(table);
        cuda::fill_ghost(table);
        cuda::fill_flips(table);
        cuda::fill_cluster_statistics(table);
        cuda::fill_metropolis(table);
        cuda::fill_borders(table);
        return table;
    }();
    return kernels;
}

}  // namespace strata::swendsen_wang
