// SPDX-License-Identifier: BSD-3-Clause
// What a kernel file includes, and nothing else of CUDA. The same source is compiled by nvcc and, in tests, by g++ with
// an emulation of cuda_runtime.h; the rules that make this possible: launches through gpu_launch, shared memory through
// GPU_SHARED and gpu_dynamic_shared, words that others change through gpu_load_relaxed, warp intrinsics with an
// explicit mask, tensor cores through gpu_tensor_multiply, indices of 64 bits, no printf, no assert, no __constant__.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "strata/queue.hpp"

#if !defined(GPU_SHARED)
/// An array of `count` (constant) elements that the threads of a block share.
#define GPU_SHARED(T, name, count) __shared__ T name[count]

/// The shared memory whose size the launch gives.
template <class T>
__device__ T* gpu_dynamic_shared() {
    extern __shared__ __align__(16) unsigned char gpu_dynamic_shared_bytes[];
    return reinterpret_cast<T*>(gpu_dynamic_shared_bytes);
}
/// A word that other threads change meanwhile: some value it had, never a cached or torn one.
template <class T>
__device__ T gpu_load_relaxed(const T* from) {
    return *const_cast<const volatile T*>(from);
}
template <class T>
__device__ void gpu_store_relaxed(T* to, T value) {
    *const_cast<volatile T*>(to) = value;
}

/// Whether this code is for a device that multiplies matrices of doubles (sm_80 and newer).
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
constexpr bool gpu_tensor_cores = true;
#else
constexpr bool gpu_tensor_cores = false;
#endif
/// Adds the product of matrices of 16 x 4 and 4 x 8 doubles, by all lanes of a warp: lane i brings the elements (i / 4,
/// i mod 4) of the upper and of the lower 8 rows of the left one and (i mod 4, i / 4) of the right one, and holds the
/// elements (i / 4, 2 (i mod 4) + {0, 1}) of both halves of the sum. Unless `both`, the lower half need not be computed.
__device__ inline void gpu_tensor_multiply([[maybe_unused]] double (&upper)[2], [[maybe_unused]] double (&lower)[2],
                                           [[maybe_unused]] double of_upper, [[maybe_unused]] double of_lower,
                                           [[maybe_unused]] double right, [[maybe_unused]] bool both) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900  // libraries prefer the larger shapes there
    asm("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
        : "+d"(upper[0]), "+d"(upper[1]), "+d"(lower[0]), "+d"(lower[1])
        : "d"(of_upper), "d"(of_lower), "d"(right));
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
        : "+d"(upper[0]), "+d"(upper[1])
        : "d"(of_upper), "d"(right));
    if (!both) return;
    asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
        : "+d"(lower[0]), "+d"(lower[1])
        : "d"(of_lower), "d"(right));
#endif
}
#endif

namespace strata {

/// Throws Error(internal) that says what was done and what CUDA says, unless it was done.
void check_cuda(cudaError_t error, const char* what);

/// Shared memory that every kernel may use without asking.
constexpr std::size_t default_shared_bytes = std::size_t{48} << 10;

/// Lets a kernel use that much dynamic shared memory; asks the device only where it was not granted before. Throws
/// Error(internal) with the name if the device has less.
void allow_shared_bytes(const void* kernel, std::size_t bytes, const char* name);

struct GpuLaunch {
    const char* name;  ///< of the kernel, for messages
    dim3 grid, block;
    std::size_t shared_bytes = 0;  ///< of dynamic shared memory for a block, at most what the device has
};

/// Queues a kernel. An empty grid is no launch.
template <class... Parameters, class... Arguments>
void gpu_launch(const Queue<Cuda>& queue, const GpuLaunch& launch, void (*kernel)(Parameters...),
                Arguments&&... arguments) {
    if (launch.grid.x == 0 || launch.grid.y == 0 || launch.grid.z == 0) return;
    if (launch.shared_bytes > default_shared_bytes)
        allow_shared_bytes(reinterpret_cast<const void*>(kernel), launch.shared_bytes, launch.name);
    cudaLaunchConfig_t config = {};
    config.gridDim = launch.grid;
    config.blockDim = launch.block;
    config.dynamicSmemBytes = launch.shared_bytes;
    config.stream = static_cast<cudaStream_t>(queue.raw());
    check_cuda(cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...), launch.name);
}

/// Blocks of `threads` that cover `items`.
inline dim3 gpu_blocks(std::uint64_t items, unsigned threads) {
    return dim3(static_cast<unsigned>((items + threads - 1) / threads));
}

}  // namespace strata
