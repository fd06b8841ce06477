// SPDX-License-Identifier: BSD-3-Clause
// Table of the device kernels of a sweep, through which code that nvcc does not compile calls them.
#include "kernels/swendsen_wang/device_kernels.hpp"

namespace strata::swendsen_wang {

const DeviceSweepKernels& device_sweep_kernels() {
    static const DeviceSweepKernels kernels = {
        .draw_bonds = cuda::draw_bonds,
        .label_tiles = cuda::label_tiles,
        .assign_group_ids = cuda::assign_group_ids,
        .unite_within_blocks = cuda::unite_within_blocks,
        .unite_across_blocks = cuda::unite_across_blocks,
        .compress_paths = cuda::compress_paths,
        .bind_clusters = cuda::bind_clusters,
        .flip_clusters = cuda::flip_clusters,
        .accumulate_moments = cuda::accumulate_moments,
        .count_planes = cuda::count_planes,
        .count_states = cuda::count_states,
        .update_colour = cuda::update_colour,
        .pack_border = cuda::pack_border,
        .unpack_border = cuda::unpack_border,
        .list_border_clusters = cuda::list_border_clusters,
        .set_border_spins = cuda::set_border_spins,
        .get_border_sizes = cuda::get_border_sizes,
        .set_border_sizes = cuda::set_border_sizes,
    };
    return kernels;
}

}  // namespace strata::swendsen_wang
