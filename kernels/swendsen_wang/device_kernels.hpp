// SPDX-License-Identifier: BSD-3-Clause
// Functions of the table DeviceSweepKernels, each defined in the .cu file that is named after its phase.
#pragma once

#include "kernels/swendsen_wang/device_sweep.hpp"

namespace strata::swendsen_wang::cuda {

void draw_bonds(const Queue<Cuda>&, const DeviceSlab&);
void label_tiles(const Queue<Cuda>&, const DeviceSlab&);
void assign_group_ids(const Queue<Cuda>&, const DeviceSlab&);
void unite_within_blocks(const Queue<Cuda>&, const DeviceSlab&);
void unite_across_blocks(const Queue<Cuda>&, const DeviceSlab&);
void compress_paths(const Queue<Cuda>&, const DeviceSlab&);
void bind_clusters(const Queue<Cuda>&, const DeviceSlab&);
void flip_clusters(const Queue<Cuda>&, const DeviceSlab&);
void accumulate_moments(const Queue<Cuda>&, const DeviceSlab&, View<ClusterMoments, Cuda> moments);
void count_planes(const Queue<Cuda>&, const DeviceSlab&, const View<std::uint64_t, Cuda> (&plane)[3]);
void count_states(const Queue<Cuda>&, const DeviceSlab&, View<std::uint64_t, Cuda> count);
void update_colour(const Queue<Cuda>&, const DeviceSlab&, const MetropolisTable&, int colour);
void pack_border(const Queue<Cuda>&, const DeviceSlab&, int bit, std::int32_t row, int shift,
                 View<std::uint64_t, Cuda> words);
void unpack_border(const Queue<Cuda>&, const DeviceSlab&, int bit, std::int32_t row, int shift,
                   View<const std::uint64_t, Cuda> words);
void list_border_clusters(const Queue<Cuda>&, const DeviceSlab&, const DeviceBorders&);
void set_border_spins(const Queue<Cuda>&, const DeviceSlab&, const DeviceBorders&, std::uint32_t clusters);
void get_border_sizes(const Queue<Cuda>&, const DeviceSlab&, const DeviceBorders&, std::uint32_t clusters);
void set_border_sizes(const Queue<Cuda>&, const DeviceSlab&, const DeviceBorders&, std::uint32_t clusters);

}  // namespace strata::swendsen_wang::cuda
