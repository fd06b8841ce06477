// SPDX-License-Identifier: BSD-3-Clause
// Flips the clusters whose spin is -1, or sets the states of the Potts model: each tile looks up the spins of its
// boundary components at their roots, whose ids are the parents after compress_paths.
#include "kernels/swendsen_wang/device_sweep.hpp"
#include "kernels/swendsen_wang/device_tile.hpp"

namespace strata::swendsen_wang::cuda {
namespace {

template <int D>
__global__ void __launch_bounds__(group_tiles) flip_kernel(DeviceSlab s) {
    const std::uint32_t n = blockIdx.x * group_tiles + threadIdx.x;
    if (n >= s.tiles || too_many_ids(s)) return;
    const IdRange ids = ids_of(s, n);
    const TilePosition p = position_of(s, n);
    const ComponentPlanes<D> components(s, n);
    for (int bit = 0; bit < s.state_bits; ++bit) {
        std::uint64_t set = s.interior_flips[bit][n];
        for (std::uint32_t c = 0; c < ids.count; ++c)
            if (s.cluster_spin[s.parent[ids.first + c]] >> bit & 1) set |= components.sites(c);
        std::uint64_t& spins = s.spins[bit][s.word(p.row, p.column)];
        spins = s.state_bits == 1 ? spins ^ set : set;
    }
}

void flip_clusters(const Queue<Cuda>& queue, const DeviceSlab& s) {
    gpu_launch(queue, {"flip_clusters", gpu_blocks(s.tiles, group_tiles), group_tiles},
               s.dimensions == 2 ? flip_kernel<2> : flip_kernel<3>, s);
}

}  // namespace

void fill_flips(DeviceSweepKernels& table) { table.flip_clusters = flip_clusters; }

}  // namespace strata::swendsen_wang::cuda
