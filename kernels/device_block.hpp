// SPDX-License-Identifier: BSD-3-Clause
// Sums and prefix sums over the threads of a warp or block on a device. Every thread of the warp or block must call;
// blocks are whole warps. The order of the additions is fixed, so that sums of floating-point numbers repeat.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "strata/gpu.hpp"

namespace strata {

constexpr unsigned full_warp = 0xFFFFFFFFu;

/// The value of the thread `distance` lanes further, for numbers and for structs of whole 64-bit words.
template <class T>
__device__ T shuffle_down(T value, unsigned distance) {
    if constexpr (std::is_arithmetic_v<T>) {
        return __shfl_down_sync(full_warp, value, distance);
    } else {
        static_assert(std::is_trivially_copyable_v<T> && sizeof(T) % sizeof(std::uint64_t) == 0);
        constexpr unsigned words = sizeof(T) / sizeof(std::uint64_t);
        std::uint64_t word[words];
        memcpy(word, &value, sizeof value);
        for (unsigned w = 0; w < words; ++w) word[w] = __shfl_down_sync(full_warp, word[w], distance);
        memcpy(&value, word, sizeof value);
        return value;
    }
}

/// Sum over the warp in lane 0; the other lanes hold partial sums.
template <class T>
__device__ T warp_sum(T value) {
    for (unsigned distance = 16; distance != 0; distance /= 2) value += shuffle_down(value, distance);
    return value;
}

/// Writes the sum over a block of at most `MaxThreads` threads to *out. To be called at most once in a kernel.
template <unsigned MaxThreads, class T>
__device__ void sum_over_block(T value, T* out) {
    const unsigned warps = blockDim.x / 32;
    GPU_SHARED(T, of_warp, MaxThreads / 32);
    value = warp_sum(value);
    if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = value;
    __syncthreads();
    if (threadIdx.x != 0) return;
    T sum = {};
    for (unsigned w = 0; w < warps; ++w) {
        const T warp = of_warp[w];
        sum += warp;
    }
    *out = sum;
}

/// atomicAdd of CUDA takes 64-bit integers as unsigned long long, which is another type than std::uint64_t.
__device__ inline void add_atomically(std::uint64_t* place, std::uint64_t value) {
    atomicAdd(reinterpret_cast<unsigned long long*>(place), static_cast<unsigned long long>(value));
}

/// Adds the warp's sum to *total.
__device__ inline void add_over_warp(std::uint64_t value, std::uint64_t* total) {
    const std::uint64_t sum = warp_sum(value);
    if (threadIdx.x % 32 == 0 && sum != 0) add_atomically(total, sum);
}

/// Sum of the values of the threads before this one; `total` returns the sum over the block. For one-dimensional blocks
/// of `Threads` threads.
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

}  // namespace strata
