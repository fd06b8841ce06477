// SPDX-License-Identifier: BSD-3-Clause
// Cluster statistics of one configuration on a device, in integers: moments of the cluster sizes for the improved
// estimators, and up spins per line or plane of sites for the structure factor.
#include "kernels/device_block.hpp"
#include "kernels/swendsen_wang/device_sweep.hpp"
#include "kernels/swendsen_wang/device_tile.hpp"

namespace strata::swendsen_wang::cuda {
namespace {

__global__ void __launch_bounds__(group_tiles)
    moments_kernel(DeviceSlab s, int shift, View<ClusterMoments, Cuda> moments) {
    const std::uint64_t thread = blockIdx.x * std::uint64_t{group_tiles} + threadIdx.x;
    const std::uint64_t ids = too_many_ids(s) ? 0 : s.counts[id_count];
    ClusterMoments own;
    for (std::uint64_t id = thread; id < ids; id += std::uint64_t{gridDim.x} * group_tiles)
        if (s.size[id] != 0) {
            own.add(s.size[id], 1, shift);
            if (s.sweep.ghost.binds() && s.cluster_spin[id] == bound_spin) own.add_bound(s.size[id], 1);
        }
    own = warp_sum(own);
    if (threadIdx.x % 32 == 0) moments[thread / 32] = own;
}

/// Up spins by coordinate of each axis.
struct Planes {
    View<std::uint64_t, Cuda> axis[3];
};

constexpr std::uint32_t rows_per_block = 32;

/// A thread counts some rows of its tile column. Counts along x stay in registers until the end; counts along y and z
/// are first summed over the columns of the warp.
template <int D>
__global__ void __launch_bounds__(group_tiles) plane_kernel(DeviceSlab s, Planes planes) {
    constexpr std::uint32_t edge = D == 2 ? 8 : 4;
    const std::uint32_t column = blockIdx.y * group_tiles + threadIdx.x;
    const bool here = column < s.row_tiles;
    std::uint32_t by_x[edge] = {};
    for (std::uint32_t r = blockIdx.x * rows_per_block; r < (blockIdx.x + 1) * rows_per_block; ++r) {
        if (r >= static_cast<std::uint32_t>(s.rows)) break;
        const std::uint64_t spins = here ? s.spins[0][s.word(static_cast<std::int32_t>(r), column)] : 0;
        for (std::uint32_t i = 0; i < edge; ++i)
            by_x[i] += static_cast<std::uint32_t>(__popcll(spins & first_sites(D, 0) << i));
        const auto per_layer = static_cast<std::uint32_t>(s.rows_per_layer);
        for (int axis = 1; axis < D; ++axis) {
            const std::uint32_t tile = axis == D - 1 ? r / per_layer : r % per_layer;
            for (std::uint32_t i = 0; i < edge; ++i) {
                const std::uint64_t sites = first_sites(D, axis)
                                            << (i * static_cast<std::uint32_t>(stride_of(D, axis)));
                const int up = __popcll(spins & sites);
                add_over_warp(static_cast<std::uint64_t>(up), &planes.axis[axis][tile * edge + i]);
            }
        }
    }
    for (std::uint32_t i = 0; here && i < edge; ++i)
        if (by_x[i] != 0) add_atomically(&planes.axis[0][column * edge + i], by_x[i]);
}

/// One thread per tile; the counts of a block are summed in shared memory.
__global__ void __launch_bounds__(group_tiles) states_kernel(DeviceSlab s, View<std::uint64_t, Cuda> count) {
    GPU_SHARED(std::uint32_t, of_block, max_states);
    of_block[threadIdx.x] = 0;
    __syncthreads();
    const std::uint32_t n = blockIdx.x * group_tiles + threadIdx.x;
    if (n < s.tiles) {
        const TilePosition p = position_of(s, n);
        for (std::uint64_t sites = sites_of(s, p); sites != 0; sites &= sites - 1) {
            const int site = __ffsll(static_cast<long long>(sites)) - 1;
            std::uint32_t state = 0;
            for (int bit = 0; bit < s.state_bits; ++bit)
                state |= static_cast<std::uint32_t>(s.spins[bit][s.word(p.row, p.column)] >> site & 1) << bit;
            atomicAdd(&of_block[state], 1U);
        }
    }
    __syncthreads();
    if (threadIdx.x < count.size() && of_block[threadIdx.x] != 0)
        add_atomically(&count[threadIdx.x], of_block[threadIdx.x]);
}
static_assert(group_tiles == max_states);

void count_states(const Queue<Cuda>& queue, const DeviceSlab& s, View<std::uint64_t, Cuda> count) {
    gpu_launch(queue, {"count_states", gpu_blocks(s.tiles, group_tiles), group_tiles}, states_kernel, s, count);
}

void accumulate_moments(const Queue<Cuda>& queue, const DeviceSlab& s, View<ClusterMoments, Cuda> moments) {
    gpu_launch(queue,
               {"accumulate_moments", dim3(static_cast<unsigned>(moments.size()) * 32 / group_tiles), group_tiles},
               moments_kernel, s, fourth_moment_shift(s.lattice_sites), moments);
}

void count_planes(const Queue<Cuda>& queue, const DeviceSlab& s, const View<std::uint64_t, Cuda> (&plane)[3]) {
    const dim3 grid(gpu_blocks(static_cast<std::uint64_t>(s.rows), rows_per_block).x,
                    gpu_blocks(s.row_tiles, group_tiles).x);
    gpu_launch(queue, {"count_planes", grid, group_tiles}, s.dimensions == 2 ? plane_kernel<2> : plane_kernel<3>, s,
               Planes{{plane[0], plane[1], plane[2]}});
}

}  // namespace

void fill_cluster_statistics(DeviceSweepKernels& table) {
    table.accumulate_moments = accumulate_moments;
    table.count_planes = count_planes;
    table.count_states = count_states;
}

}  // namespace strata::swendsen_wang::cuda
