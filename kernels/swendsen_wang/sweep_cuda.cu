// SPDX-License-Identifier: BSD-3-Clause
// Table of the device kernels of a sweep, through which code that nvcc does not compile calls them.
#include "kernels/swendsen_wang/device_kernels.hpp"

namespace strata::swendsen_wang {

const DeviceSweepKernels& device_sweep_kernels() {
    static const DeviceSweepKernels kernels = {
        cuda::draw_bonds,          cuda::label_tiles,      cuda::assign_group_ids,     cuda::unite_within_blocks,
        cuda::unite_across_blocks, cuda::compress_paths,   cuda::bind_clusters,        cuda::flip_clusters,
        cuda::accumulate_moments,  cuda::count_planes,     cuda::count_states,         cuda::update_colour,
        cuda::pack_border,         cuda::unpack_border,    cuda::list_border_clusters, cuda::set_border_spins,
        cuda::get_border_sizes,    cuda::set_border_sizes,
    };
    return kernels;
}

}  // namespace strata::swendsen_wang
