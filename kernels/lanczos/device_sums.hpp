// SPDX-License-Identifier: BSD-3-Clause
// Sums over a tile by a block of 256 threads, always in the same order.
#pragma once

#include "kernels/lanczos/step_kernels.hpp"
#include "strata/gpu.hpp"

namespace strata::lanczos::cuda {

constexpr unsigned tile_threads = 256, warps = tile_threads / 32, all_lanes = ~0u;

/// Adds up every thread's sums into `out`. All threads of the block must come here.
__device__ inline void sum_over_block(TileSums own, TileSums* out) {
    GPU_SHARED(TileSums, of_warp, warps);
    for (unsigned distance = 16; distance != 0; distance /= 2) {
        own.vw += __shfl_down_sync(all_lanes, own.vw, distance);
        own.ww += __shfl_down_sync(all_lanes, own.ww, distance);
        own.vv += __shfl_down_sync(all_lanes, own.vv, distance);
    }
    if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = own;
    __syncthreads();
    if (threadIdx.x != 0) return;
    TileSums sum;
    for (unsigned w = 0; w < warps; ++w) {
        const TileSums warp = of_warp[w];
        sum.vw += warp.vw;
        sum.ww += warp.ww;
        sum.vv += warp.vv;
    }
    *out = sum;
}

}  // namespace strata::lanczos::cuda
