// SPDX-License-Identifier: BSD-3-Clause
// Bonds to the ghost spin (sweep.hpp) on a device, one thread per tile. Parents are roots when it runs, so that a bound
// site marks its cluster at once. Interior components are found again from the bonds between their bound sites and the
// others, which takes no memory and no work without a field.
#include "kernels/device_block.hpp"
#include "kernels/swendsen_wang/device_sweep.hpp"
#include "kernels/swendsen_wang/device_tile.hpp"

namespace strata::swendsen_wang::cuda {
namespace {

/// All sites of the interior components of a tile that hold any of `bound`; in observed sweeps it counts these components
/// by size, one after another.
template <int D>
__device__ std::uint64_t interior_components(const DeviceSlab& s, TilePosition p, std::uint64_t bound) {
    std::uint64_t inside[D], all = 0;
    for (int axis = 0; axis < D; ++axis)
        inside[axis] = s.bonds[axis][s.word(p.row, p.column)] & ~boundary_of<D>(s, p, axis).last;
    while (bound != 0) {
        std::uint64_t sites = s.sweep.observed ? lowest(bound) : bound;
        for (std::uint64_t before = 0; before != sites;) {
            before = sites;
            sites = spread<D>(inside, sites);
        }
        if (s.sweep.observed) add_atomically(&s.counts[bound_size_count + __popcll(sites)], 1);
        all |= sites;
        bound &= ~sites;
    }
    return all;
}

template <int D>
__global__ void __launch_bounds__(group_tiles) bind_kernel(DeviceSlab s) {
    const std::uint32_t n = blockIdx.x * group_tiles + threadIdx.x;
    if (n >= s.tiles || too_many_ids(s)) return;
    const TilePosition p = position_of(s, n);
    const GhostSpin& ghost = s.sweep.ghost;
    const std::uint64_t spins = s.spins[0][s.word(p.row, p.column)];
    const std::uint64_t bound =
        draw_below(ghost.bond, s.sweep.seed, s.sweep.index, row_of(s, p.row).first_tile + p.column, Purpose::ghost, 0,
                   (ghost.up ? spins : ~spins) & sites_of(s, p));
    const ComponentPlanes<D> components(s, n);
    std::uint64_t interior = bound;
    for (const std::uint64_t plane : components.plane) interior &= plane;
    if (interior != 0) s.interior_flips[0][n] &= ~interior_components<D>(s, p, interior);
    const std::uint32_t first = ids_of(s, n).first;
    for (std::uint64_t sites = bound & ~interior; sites != 0;) {
        const std::uint32_t c = components.at(__ffsll(static_cast<long long>(sites)) - 1);
        gpu_store_relaxed(&s.cluster_spin[s.parent[first + c]], bound_spin);
        sites &= ~components.sites(c);
    }
}

void bind_clusters(const Queue<Cuda>& queue, const DeviceSlab& s) {
    gpu_launch(queue, {"bind_clusters", gpu_blocks(s.tiles, group_tiles), group_tiles},
               s.dimensions == 2 ? bind_kernel<2> : bind_kernel<3>, s);
}

}  // namespace

void fill_ghost(DeviceSweepKernels& table) { table.bind_clusters = bind_clusters; }

}  // namespace strata::swendsen_wang::cuda
