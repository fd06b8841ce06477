// SPDX-License-Identifier: BSD-3-Clause
// Flips on a device: each tile looks its open components' coins up at their roots.
#include "kernels/swendsen_wang/device_kernels.hpp"
#include "kernels/swendsen_wang/device_tile.hpp"

namespace strata::swendsen_wang::cuda {
namespace {

template <int D>
__global__ void __launch_bounds__(group_tiles) flip_kernel(DeviceSlice s) {
    const std::uint32_t n = blockIdx.x * group_tiles + threadIdx.x;
    if (n >= s.tiles || too_many_ids(s)) return;
    const OpenIds ids = open_ids(s, n);
    const TilePlace p = place_of(s, n);
    const TileCodes<D> codes(s, n);
    std::uint64_t flips = s.closed_flips[n];
    for (std::uint32_t c = 0; c < ids.count; ++c)
        if (s.coin[s.parent[ids.first + c]] != 0) flips |= codes.sites(c);
    s.spins[s.word(p.row, p.column)] ^= flips;
}

}  // namespace

void flip_clusters(const Queue<Cuda>& queue, const DeviceSlice& s) {
    gpu_launch(queue, {"flip_clusters", gpu_blocks(s.tiles, group_tiles), group_tiles},
               s.dimensions == 2 ? flip_kernel<2> : flip_kernel<3>, s);
}

}  // namespace strata::swendsen_wang::cuda
