// SPDX-License-Identifier: BSD-3-Clause
// A warp per matrix; elements go to lanes as strata/gpu.hpp says.
#include "cuda/tensor.hpp"

#include "strata/gpu.hpp"

namespace strata {
namespace {

__global__ void multiply_kernel(const double* left, const double* right, bool both, double* sums, int* has) {
    if (threadIdx.x == 0) *has = gpu_tensor_cores ? 1 : 0;
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, row = lane / 4, depth = lane % 4;
    left += warp * 64;
    right += warp * 32;
    sums += warp * 128;
    double* upper_sums = sums + row * 8 + 2 * depth;
    double* lower_sums = upper_sums + 64;
    double upper[] = {upper_sums[0], upper_sums[1]}, lower[] = {lower_sums[0], lower_sums[1]};
    gpu_tensor_multiply(upper, lower, left[row * 4 + depth], left[(row + 8) * 4 + depth], right[depth * 8 + row], both);
    for (unsigned e = 0; e < 2; ++e) {
        upper_sums[e] = upper[e];
        if (both) lower_sums[e] = lower[e];
    }
}

}  // namespace

void tensor_multiply(const Queue<Cuda>& queue, View<const double, Cuda> left, View<const double, Cuda> right, bool both,
                     View<double, Cuda> sums, View<int, Cuda> has_tensor_cores) {
    gpu_launch(queue, {"tensor_multiply", dim3(1), dim3(64)}, multiply_kernel, left.data(), right.data(), both,
               sums.data(), has_tensor_cores.data());
}

}  // namespace strata
