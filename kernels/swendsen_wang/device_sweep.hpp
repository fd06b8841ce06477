// SPDX-License-Identifier: BSD-3-Clause
// One Swendsen-Wang sweep on one slab on a device. Memory traffic per site at T_c (2D / 3D), counted from the arrays,
// and work:
//   draw_bonds           reads spins, writes bonds: 0.4 / 0.5 B; 0.2 Philox blocks per 16 bonds, more where a warp
//                        waits for its last undecided bond
//   label_tiles          reads bonds, writes component indices and random spins: 1.2 / 1.4 B; flood fill in registers,
//                        about one operation on a word per site
//   assign_group_ids     one word per 256 tiles
//   unite_within_blocks  reads component indices and bonds, writes parents and cluster spins: 1.6 / 2.4 B; unions in
//                        shared memory
//   unite_across_blocks  tile boundaries between blocks of tiles: 3 % (2D) and 20 % (3D) of all; atomic minima
//   compress_paths       reads and writes parents: 0.8 / 1.7 B
//   bind_clusters        only in a field: reads bonds, component indices, spins and parents of bound sites, 0.2 Philox
//                        blocks per 16 sites
//   flip_clusters        component indices, parents, cluster spins of roots and spins: 1.6 / 2.2 B
// Sources: Wende and Steinke, SC13; unions by atomic minima after Komura and Okabe, CPC 183, 1155 (2012).
#pragma once

#include "kernels/swendsen_wang/device_slab.hpp"
#include "kernels/swendsen_wang/metropolis.hpp"
#include "strata/queue.hpp"

namespace strata::swendsen_wang {

/// Bytes per site of a sweep without observation: the sum of the traffic above.
constexpr double device_sweep_bytes(int dimensions) { return dimensions == 2 ? 5.5 : 8.2; }

/// Number of warps of accumulate_moments, each of which writes one result: enough to occupy a device, in whole groups.
constexpr unsigned moment_warps(std::uint64_t ids) {
    constexpr std::uint64_t ids_per_warp = 1024, max_warps = 4096, per_group = group_tiles / 32;
    const std::uint64_t useful = ids / ids_per_warp < max_warps ? ids / ids_per_warp : max_warps;
    return static_cast<unsigned>((useful / per_group + 1) * per_group);
}

/// Device kernels of a sweep. Every function only queues work and does not wait. Kernels that use ids do nothing if
/// there are more boundary components than id_capacity; counts[id_count] reports it to the host.
struct DeviceSweepKernels {
    /// Draws the bonds of the slab and those that enter it from the tile layer below; counts satisfied bonds and up
    /// spins.
    void (*draw_bonds)(const Queue<Cuda>&, const DeviceSlab&);
    /// Labels the components within tiles and draws their cluster spins; in observed sweeps counts interior components
    /// by size.
    void (*label_tiles)(const Queue<Cuda>&, const DeviceSlab&);
    /// Computes the first ids of all groups of tiles, and the number of ids.
    void (*assign_group_ids)(const Queue<Cuda>&, const DeviceSlab&);
    /// Writes parents and random spins of boundary components, united within blocks of tiles; in observed sweeps adds
    /// sizes at the roots of the blocks.
    void (*unite_within_blocks)(const Queue<Cuda>&, const DeviceSlab&);
    /// Unites across the tile boundaries between blocks of tiles.
    void (*unite_across_blocks)(const Queue<Cuda>&, const DeviceSlab&);
    /// Points every component to its root; in observed sweeps adds the sizes at the roots.
    void (*compress_paths)(const Queue<Cuda>&, const DeviceSlab&);
    /// Binds sites to the ghost spin: interior components with a bound site do not flip, and the roots of all others
    /// with one get bound_spin. In a field, after compress_paths.
    void (*bind_clusters)(const Queue<Cuda>&, const DeviceSlab&);
    /// Flips all sites of the clusters whose spin is -1.
    void (*flip_clusters)(const Queue<Cuda>&, const DeviceSlab&);

    /// Writes one ClusterMoments per warp ([moment_warps(id_capacity)]), over the clusters with size[id] != 0.
    void (*accumulate_moments)(const Queue<Cuda>&, const DeviceSlab&, View<ClusterMoments, Cuda> moments);
    /// Adds the up spins at each coordinate of each axis to plane[axis][coordinate]. Coordinates along the slow axis
    /// are counted from the slab's first tile layer.
    void (*count_planes)(const Queue<Cuda>&, const DeviceSlab&, const View<std::uint64_t, Cuda> (&plane)[3]);
    /// Adds the sites in each state of the Potts model to count[state].
    void (*count_states)(const Queue<Cuda>&, const DeviceSlab&, View<std::uint64_t, Cuda> count);
    /// Metropolis update of all sites of one colour (metropolis.hpp): reads `spins` and their halo rows, writes the
    /// rows of the slab to `next_spins`.
    void (*update_colour)(const Queue<Cuda>&, const DeviceSlab&, const MetropolisTable&, int colour);

    /// Packs digit `bit` of the border sites of the tile layer that begins at local row `row` into one bit per site;
    /// they lie `shift` bits above the first sites of their tiles.
    void (*pack_border)(const Queue<Cuda>&, const DeviceSlab&, int bit, std::int32_t row, int shift,
                        View<std::uint64_t, Cuda> words);
    /// Inverse of pack_border.
    void (*unpack_border)(const Queue<Cuda>&, const DeviceSlab&, int bit, std::int32_t row, int shift,
                          View<const std::uint64_t, Cuda> words);
    /// Lists the clusters on the slab's borders, those at the border to the next slab first, and the cluster at each
    /// border site.
    void (*list_border_clusters)(const Queue<Cuda>&, const DeviceSlab&, const DeviceBorders&);
    /// Writes the spin of each border cluster to its root.
    void (*set_border_spins)(const Queue<Cuda>&, const DeviceSlab&, const DeviceBorders&, std::uint32_t clusters);
    /// Reads the size of each border cluster from its root.
    void (*get_border_sizes)(const Queue<Cuda>&, const DeviceSlab&, const DeviceBorders&, std::uint32_t clusters);
    /// Writes the size of each border cluster to its root.
    void (*set_border_sizes)(const Queue<Cuda>&, const DeviceSlab&, const DeviceBorders&, std::uint32_t clusters);
};

/// Throws Error(internal) in a build without CUDA.
const DeviceSweepKernels& device_sweep_kernels();

}  // namespace strata::swendsen_wang
