// SPDX-License-Identifier: BSD-3-Clause
// The functions of the table DeviceSweepKernels, each in the .cu file that is named like its phase.
#pragma once

#include "kernels/swendsen_wang/device_sweep.hpp"

namespace strata::swendsen_wang::cuda {

void draw_bonds(const Queue<Cuda>&, const DeviceSlice&);
void label_tiles(const Queue<Cuda>&, const DeviceSlice&);
void number_groups(const Queue<Cuda>&, const DeviceSlice&);
void merge_patches(const Queue<Cuda>&, const DeviceSlice&);
void join_patches(const Queue<Cuda>&, const DeviceSlice&);
void compress(const Queue<Cuda>&, const DeviceSlice&);
void flip_clusters(const Queue<Cuda>&, const DeviceSlice&);
void sum_sizes(const Queue<Cuda>&, const DeviceSlice&, View<ClusterSums, Cuda> sums);
void count_planes(const Queue<Cuda>&, const DeviceSlice&, const View<std::uint64_t, Cuda> (&plane)[3]);
void pack_face(const Queue<Cuda>&, const DeviceSlice&, std::int32_t row, int shift, View<std::uint64_t, Cuda> words);
void unpack_face(const Queue<Cuda>&, const DeviceSlice&, std::int32_t row, int shift,
                 View<const std::uint64_t, Cuda> words);
void list_borders(const Queue<Cuda>&, const DeviceSlice&, const DeviceBorders&);
void set_border_coins(const Queue<Cuda>&, const DeviceSlice&, const DeviceBorders&, std::uint32_t clusters);
void get_border_sizes(const Queue<Cuda>&, const DeviceSlice&, const DeviceBorders&, std::uint32_t clusters);
void set_border_sizes(const Queue<Cuda>&, const DeviceSlice&, const DeviceBorders&, std::uint32_t clusters);

}  // namespace strata::swendsen_wang::cuda
