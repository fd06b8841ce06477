// SPDX-License-Identifier: BSD-3-Clause
// Sums and prefix sums over the threads of a block; every thread of it must call. Blocks are whole warps.
#pragma once

#include <cstdint>

#include "strata/gpu.hpp"

namespace strata::swendsen_wang {

constexpr unsigned full_warp = 0xFFFFFFFFu;

template <class T>
__device__ T warp_sum(T value) {
    for (unsigned distance = 16; distance != 0; distance /= 2) value += __shfl_down_sync(full_warp, value, distance);
    return value;  // in lane 0
}

/// CUDA's atomics know 64 bits by another name.
__device__ inline void add_atomically(std::uint64_t* place, std::uint64_t value) {
    atomicAdd(reinterpret_cast<unsigned long long*>(place), static_cast<unsigned long long>(value));
}

/// Adds the warp's sum to *total.
__device__ inline void add_over_warp(std::uint64_t value, std::uint64_t* total) {
    const std::uint64_t sum = warp_sum(value);
    if (threadIdx.x % 32 == 0 && sum != 0) add_atomically(total, sum);
}

/// Sum of the values of the threads before this one; `total`: of all. For blocks of `Threads` threads in a row.
template <unsigned Threads>
__device__ std::uint32_t sum_before(std::uint32_t value, std::uint32_t& total) {
    constexpr unsigned warps = Threads / 32;
    GPU_SHARED(std::uint32_t, warp_total, warps);
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    std::uint32_t sum = value;
    for (unsigned distance = 1; distance < 32; distance *= 2) {
        const std::uint32_t left = __shfl_up_sync(full_warp, sum, distance);
        if (lane >= distance) sum += left;
    }
    if (lane == 31) warp_total[warp] = sum;
    __syncthreads();
    std::uint32_t before = 0;
    total = 0;
    for (unsigned w = 0; w < warps; ++w) {
        const std::uint32_t of_warp = warp_total[w];
        if (w < warp) before += of_warp;
        total += of_warp;
    }
    __syncthreads();  // warp_total may be used again
    return before + sum - value;
}

}  // namespace strata::swendsen_wang
