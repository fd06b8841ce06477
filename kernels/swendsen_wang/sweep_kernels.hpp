// SPDX-License-Identifier: BSD-3-Clause
// One Swendsen-Wang sweep on one slab: draw_and_label, unite_across_threads, [bind_clusters], [list_border_roots,
// clusters across slabs], flip_clusters.
// Work and traffic per site at T_c (2D / 3D), counted, not measured:
//   draw_and_label        draws 0.14 / 0.21 Philox blocks of four words per site (bound by the generator), labels
//                         tiles by iterated minima in registers (bound by byte operations), makes 0.11 / 0.17 unions;
//                         reads spins and writes bonds, component indices and ids: 3 / 4 B of memory traffic
//   unite_across_threads  only the tile boundaries between the parts of threads
//   bind_clusters         only in a field, where draw_and_label takes 0.2 Philox blocks per 16 sites more: cluster spins
//   flip_clusters         component indices, ids and spins: 2 / 2.5 B
// Sources: the algorithm of Swendsen and Wang, PRL 58, 86 (1987); tiles, slabs and ownership of labels after Wende and
// Steinke, SC13; union-find after Rem (Dijkstra 1976; Patwary, Blair, Manne 2010).
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "kernels/swendsen_wang/cluster_moments.hpp"
#include "kernels/swendsen_wang/metropolis.hpp"
#include "kernels/swendsen_wang/replicas.hpp"
#include "kernels/swendsen_wang/slab_view.hpp"

namespace strata::swendsen_wang {

/// A border of a slab in a ring of slabs.
enum class Border { to_previous, to_next };

/// Kernels of a sweep, compiled for one instruction set. All variants give the same bits. Every function must be called
/// outside of parallel regions and opens its own.
struct SweepKernels {
    std::string_view name;
    /// Draws the bonds, labels the components of tiles, assigns ids and unites within each thread's tile rows, band by
    /// band in the cache. Returns false if there were more boundary components than ids: the labels are not valid then.
    bool (*draw_and_label)(const SlabView&);
    /// Unites components across the tile boundaries between the parts of different threads.
    void (*unite_across_threads)(const SlabView&);
    /// Sets the cluster spin of the roots of all components with bound_spin to bound_spin. In a field, after the unions.
    void (*bind_clusters)(const SlabView&);
    /// Writes the root of the component at every active bond across a border to roots[], in the order of the sites
    /// along the border; returns the number of these bonds. After the unions.
    std::uint64_t (*list_border_roots)(const SlabView&, Border, std::uint32_t* roots);
    /// Flips all sites of the clusters whose spin is -1.
    void (*flip_clusters)(const SlabView&);
    /// Counts the satisfied bonds and up spins of the configuration, as draw_and_label does, without drawing: no random
    /// numbers; 0.13 B of memory traffic per site.
    void (*count_spins)(const SlabView&);
    /// Sets size[id] to the number of sites of the slab's cluster with root id, to 0 for ids that are no roots. Adds
    /// the interior components, which are clusters within one tile, to `interior`.
    void (*count_cluster_sizes)(const SlabView&, std::uint64_t* size, ClusterMoments& interior);
    /// Adds the clusters with size[id] != 0 to `clusters`.
    void (*accumulate_moments)(const SlabView&, const std::uint64_t* size, ClusterMoments& clusters);
    /// Adds the up spins at each coordinate of each axis to plane[axis][coordinate]. Coordinates along the slow axis
    /// are counted from the slab's first tile layer.
    void (*count_planes)(const SlabView&, std::uint64_t* const* plane);
    /// Adds the sites in each state of the Potts model to count[state].
    void (*count_states)(const SlabView&, std::uint64_t* count);
    /// Metropolis update of all sites of one colour (metropolis.hpp): reads `spins` and their halo rows, writes the
    /// rows of the slab to `next_spins`. 0.05 Philox blocks of four words per site; 0.25 B of memory traffic.
    void (*update_colour)(const SlabView&, const MetropolisTable&, int colour);
    /// Metropolis sweep of a group of replicas, both colours, in the calling thread; 0.1 Philox blocks of four words per
    /// site of each.
    void (*sweep_replicas)(const ReplicaView&, const ReplicaGroup&);
    /// Counts satisfied bonds and up spins of a group, and adds its up spins to those of the planes.
    void (*count_replicas)(const ReplicaView&, const ReplicaGroup&, const ReplicaCounts&);
};

/// Variants that this processor can run, the fastest first; the last one is "portable".
const std::vector<SweepKernels>& sweep_variants();

/// Root of the cluster of component `id`: the smallest id of the cluster within the slab. Nothing is written.
inline std::uint32_t root_of(const std::uint32_t* parent, std::uint32_t id) {
    while (parent[id] != id) id = parent[id];
    return id;
}

}  // namespace strata::swendsen_wang
