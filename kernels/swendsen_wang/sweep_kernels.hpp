// SPDX-License-Identifier: BSD-3-Clause
// One Swendsen-Wang sweep on one slice: label_slice, join_threads, [clusters across slices], flip_clusters. Work and
// traffic per site at T_c (2D / 3D), counted, not measured:
//   label_slice   draws 0.19 / 0.26 Philox blocks of four words per 16 bonds (bound by the generator), labels tiles by
//                 iterated minima in registers (bound by byte operations) and makes 0.11 / 0.17 unions; memory sees
//                 spins read, bonds, codes and ids written: 3 / 4 B
//   join_threads  the faces between threads' parts only
//   flip_clusters codes, ids and spins: 2 / 2.5 B
// Source of the algorithm: Swendsen & Wang, PRL 58, 86 (1987); tiles, label ownership and slices after Wende & Steinke,
// SC13; the union-find after Rem (Dijkstra 1976; Patwary, Blair, Manne 2010).
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "kernels/swendsen_wang/cluster_sums.hpp"
#include "kernels/swendsen_wang/slice_view.hpp"

namespace strata::swendsen_wang {

/// The sweep compiled for one instruction set. All variants give the same bits. Every function is to be called outside
/// a parallel region and opens its own.
struct SweepKernels {
    std::string_view name;
    /// Bonds, components within tiles, ids, and unions within each thread's rows. False if there were more open
    /// components than ids: the labels are not usable then.
    bool (*label_slice)(const SliceView&);
    void (*join_threads)(const SliceView&);
    void (*flip_clusters)(const SliceView&);
    /// Sets size[id] to the number of sites of the slice's cluster with root id, 0 for ids that are no roots, and adds
    /// the clusters that lie within one tile to `closed`.
    void (*count_sizes)(const SliceView&, std::uint64_t* size, ClusterSums& closed);
    /// Adds the clusters with size[id] != 0 to `open`.
    void (*sum_sizes)(const SliceView&, const std::uint64_t* size, ClusterSums& open);
    /// Adds the up spins at each coordinate of each axis to plane[axis][coordinate] (slow axis: from the slice's
    /// start).
    void (*count_planes)(const SliceView&, std::uint64_t* const* plane);
};

/// The variants that this machine can run, the fastest first; the last one is "portable".
const std::vector<SweepKernels>& sweep_variants();

/// Id of the smallest component of `id`'s cluster within the slice.
inline std::uint32_t find_root(const std::uint32_t* parent, std::uint32_t id) {
    while (parent[id] != id) id = parent[id];
    return id;
}

}  // namespace strata::swendsen_wang
