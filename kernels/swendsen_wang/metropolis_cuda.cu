// SPDX-License-Identifier: BSD-3-Clause
// Metropolis update of one colour of the checkerboard on a device: one thread per tile, with the arithmetic of
// metropolis.hpp and the random words of counters.hpp, so that the spins are the same as on the CPU.
#include "kernels/swendsen_wang/device_sweep.hpp"
#include "kernels/swendsen_wang/device_tile.hpp"

namespace strata::swendsen_wang::cuda {
namespace {

/// Bonds from a tile to the next sites along an axis; those that an open end of the lattice removes.
struct BondsOfTile {
    std::uint64_t satisfied, missing;
};

template <int D>
__device__ BondsOfTile bonds_along(const DeviceSlab& s, TilePosition p, int axis) {
    const TilePosition next = next_tile(s, p, axis);
    const TileBoundary boundary = boundary_of<D>(s, p, axis);
    const std::uint64_t tile = row_of(s, p.row).first_tile + p.column, sites = sites_of(s, p);
    const std::uint64_t equal =
        equal_neighbours(s.spins[0][s.word(p.row, p.column)], s.spins[0][s.word(next.row, next.column)], boundary);
    const std::uint64_t across = at_end(s, p, axis) ? boundary.last & sites : 0;
    return {satisfied_bonds(s.sweep.couplings, tile, axis, equal, sites, across),
            s.sweep.couplings.boundary[axis] == Boundary::open ? across : 0};
}

/// Counts the bonds in both directions of an axis.
template <int D>
__device__ void count_along(const DeviceSlab& s, TilePosition p, int axis, BondCounts<std::uint64_t>& counts) {
    const BondsOfTile own = bonds_along<D>(s, p, axis);
    const TilePosition before = previous_tile(s, p, axis);
    const BondsOfTile entering = bonds_along<D>(s, before, axis);
    const TileBoundary boundary = boundary_of<D>(s, p, axis), earlier = boundary_of<D>(s, before, axis);
    counts.add(own.satisfied, own.missing);
    counts.add(
        (own.satisfied & ~boundary.last) << boundary.stride | (entering.satisfied & earlier.last) >> earlier.shift,
        (entering.missing & earlier.last) >> earlier.shift);
}

template <int D>
__global__ void __launch_bounds__(group_tiles) update_kernel(DeviceSlab s, MetropolisTable table, int colour) {
    const std::uint32_t n = blockIdx.x * group_tiles + threadIdx.x;
    if (n >= s.tiles) return;
    const TilePosition p = position_of(s, n);
    const std::uint64_t here = s.spins[0][s.word(p.row, p.column)];
    BondCounts<std::uint64_t> counts;
    for (int axis = 0; axis < D; ++axis) count_along<D>(s, p, axis, counts);
    const TileDraws draws = {s.sweep.seed, s.sweep.index, row_of(s, p.row).first_tile + p.column, Purpose::metropolis};
    s.next_spins[s.word(p.row, p.column)] =
        here ^ draw_flips(table, counts, here, sites_of(s, p) & sites_of_colour(D, colour), draws);
}

void update_colour(const Queue<Cuda>& queue, const DeviceSlab& s, const MetropolisTable& table, int colour) {
    gpu_launch(queue, {"update_colour", gpu_blocks(s.tiles, group_tiles), group_tiles},
               s.dimensions == 2 ? update_kernel<2> : update_kernel<3>, s, table, colour);
}

}  // namespace

void fill_metropolis(DeviceSweepKernels& table) { table.update_colour = update_colour; }

}  // namespace strata::swendsen_wang::cuda
