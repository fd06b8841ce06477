// SPDX-License-Identifier: BSD-3-Clause
// One Swendsen-Wang sweep on one slice on a device. Traffic per site at T_c (2D / 3D), counted from the arrays, and
// work:
//   draw_bonds     spins read, bonds written: 0.4 / 0.5 B; 0.2 Philox blocks per 16 bonds, more where a warp waits for
//                  its last undecided pair
//   label_tiles    bonds read, codes and coins written: 1.2 / 1.4 B; flood fill in registers, about 1 word step a site
//   number_groups  one word per 256 tiles
//   merge_patches  codes and bonds read, parents and coins written: 1.6 / 2.4 B; unions in shared memory
//   join_patches   faces between patches: 3 % (2D) and 20 % (3D) of the tiles' faces; unions by atomic minimum
//   compress       parents read and written: 0.8 / 1.7 B
//   flip_clusters  codes, parents, coins of roots and spins: 1.6 / 2.2 B
// Source of the algorithm: Wende & Steinke, SC13; unions by atomic minima after Komura & Okabe (CPC 183, 1155 (2012)).
#pragma once

#include "kernels/swendsen_wang/device_slice.hpp"
#include "strata/queue.hpp"

namespace strata::swendsen_wang {

/// The sum of these: bytes per site of a sweep without observation.
constexpr double device_sweep_bytes(int dimensions) { return dimensions == 2 ? 5.5 : 8.2; }

/// Warps of sum_sizes, each of which leaves one sum: enough to keep a device busy, and whole groups.
constexpr unsigned sum_warps(std::uint64_t ids) {
    constexpr std::uint64_t ids_per_warp = 1024, most = 4096, per_group = group_tiles / 32;
    const std::uint64_t wanted = ids / ids_per_warp < most ? ids / ids_per_warp : most;
    return static_cast<unsigned>((wanted / per_group + 1) * per_group);
}

/// Everything is queued; nothing waits. Kernels that number components do nothing if there are more than id_capacity:
/// counts[id_count] tells.
struct DeviceSweepKernels {
    /// Bonds of the slice and those that enter it from the layer below; counts aligned pairs and up spins.
    void (*draw_bonds)(const Queue<Cuda>&, const DeviceSlice&);
    /// Components within tiles; coins of closed ones; with census, closed ones by size.
    void (*label_tiles)(const Queue<Cuda>&, const DeviceSlice&);
    /// First ids of all groups of tiles, and their number.
    void (*number_groups)(const Queue<Cuda>&, const DeviceSlice&);
    /// Parents and coins of open components, united within patches of tiles; with census, sizes at the patch's roots.
    void (*merge_patches)(const Queue<Cuda>&, const DeviceSlice&);
    /// Unions across the faces between patches.
    void (*join_patches)(const Queue<Cuda>&, const DeviceSlice&);
    /// Points every component to its root; with census, hands sizes over to roots.
    void (*compress)(const Queue<Cuda>&, const DeviceSlice&);
    void (*flip_clusters)(const Queue<Cuda>&, const DeviceSlice&);

    /// One ClusterSums per warp ([sum_warps(id_capacity)]) over the clusters with size[id] != 0.
    void (*sum_sizes)(const Queue<Cuda>&, const DeviceSlice&, View<ClusterSums, Cuda> sums);
    /// Adds the up spins at each coordinate of each axis to plane[axis][coordinate]; slow axis: from the slice's start.
    void (*count_planes)(const Queue<Cuda>&, const DeviceSlice&, const View<std::uint64_t, Cuda> (&plane)[3]);

    /// The border sites of a layer of tiles from local row `row`, densely packed; `shift` tells which sites.
    void (*pack_face)(const Queue<Cuda>&, const DeviceSlice&, std::int32_t row, int shift,
                      View<std::uint64_t, Cuda> words);
    void (*unpack_face)(const Queue<Cuda>&, const DeviceSlice&, std::int32_t row, int shift,
                        View<const std::uint64_t, Cuda> words);
    /// The clusters on the slice's borders and who is seen where.
    void (*list_borders)(const Queue<Cuda>&, const DeviceSlice&, const DeviceBorders&);
    /// coin of each border cluster to its root.
    void (*set_border_coins)(const Queue<Cuda>&, const DeviceSlice&, const DeviceBorders&, std::uint32_t clusters);
    /// size of each border cluster from its root, or to it.
    void (*get_border_sizes)(const Queue<Cuda>&, const DeviceSlice&, const DeviceBorders&, std::uint32_t clusters);
    void (*set_border_sizes)(const Queue<Cuda>&, const DeviceSlice&, const DeviceBorders&, std::uint32_t clusters);
};

/// Throws Error(internal) in a build without CUDA.
const DeviceSweepKernels& device_sweep_kernels();

}  // namespace strata::swendsen_wang
