// SPDX-License-Identifier: BSD-3-Clause
// The table of the device's kernels.
#include "kernels/swendsen_wang/device_kernels.hpp"

namespace strata::swendsen_wang {

const DeviceSweepKernels& device_sweep_kernels() {
    static const DeviceSweepKernels kernels = {
        cuda::draw_bonds,  cuda::label_tiles,   cuda::number_groups,    cuda::merge_patches,    cuda::join_patches,
        cuda::compress,    cuda::flip_clusters, cuda::sum_sizes,        cuda::count_planes,     cuda::pack_face,
        cuda::unpack_face, cuda::list_borders,  cuda::set_border_coins, cuda::get_border_sizes, cuda::set_border_sizes,
    };
    return kernels;
}

}  // namespace strata::swendsen_wang
