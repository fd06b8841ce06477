// SPDX-License-Identifier: BSD-3-Clause
// Random start vectors on a device, with the bits of the host.
#include "kernels/lanczos/device_step.hpp"
#include "kernels/lanczos/device_tile.hpp"
#include "strata/gpu.hpp"

namespace strata::lanczos::cuda {
namespace {

/// One block of threads per tile.
template <class Real>
__global__ void __launch_bounds__(tile_threads) draw_kernel(StartVector v, BlockLayout l, Real* x) {
    const std::uint64_t block = blockIdx.x / l.panels(), panel = blockIdx.x % l.panels();
    const auto width = static_cast<unsigned>(l.panel);
    Real* tile = x + blockIdx.x * l.tile();
    for (TilePosition i(threadIdx.x, blockDim.x, width); i.row < block_rows; i.next())
        tile[i.row * width + i.column] = start_number_of_tile<Real>(v, l, block, panel, i.row, i.column);
}

template <class Real>
void draw(const Queue<Cuda>& queue, const StartVector& v, const BlockLayout& l, Real* x) {
    gpu_launch(queue, {"draw", dim3(static_cast<unsigned>(l.tiles())), dim3(tile_threads)}, draw_kernel<Real>, v, l, x);
}

}  // namespace

template <class Real>
void fill_start_vector(DeviceStepKernels<Real>& table) {
    table.draw = draw;
}
template void fill_start_vector(DeviceStepKernels<double>&);
template void fill_start_vector(DeviceStepKernels<float>&);

}  // namespace strata::lanczos::cuda
