// SPDX-License-Identifier: BSD-3-Clause
// Kernel files use CUDA through this header only. The same source is compiled by nvcc and, in tests, by
// g++ with an emulation of cuda_runtime.h; the rules that make this possible: launches through gpu_launch, shared
// memory through GPU_SHARED and gpu_dynamic_shared, words that other threads change through gpu_load_relaxed, warp
// intrinsics with an explicit mask, tensor cores through gpu_tensor_multiply, indices of 64 bits, no printf, no assert,
// no __constant__.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "strata/queue.hpp"

#if !defined(GPU_SHARED)
/// Array of `count` (constant) elements in the shared memory of a block.
#define GPU_SHARED(T, name, count) __shared__ T name[count]

/// The shared memory whose size is set by the launch.
template <class T>
__device__ T* gpu_dynamic_shared() {
    extern __shared__ __align__(16) unsigned char gpu_dynamic_shared_bytes[];
    return reinterpret_cast<T*>(gpu_dynamic_shared_bytes);
}
/// Reads a word that other threads may change at the same time: one of the values that it had, never cached or torn.
template <class T>
__device__ T gpu_load_relaxed(const T* from) {
    return *const_cast<const volatile T*>(from);
}
template <class T>
__device__ void gpu_store_relaxed(T* to, T value) {
    *const_cast<volatile T*>(to) = value;
}

/// True if this code is compiled for a device with tensor cores for doubles (sm_80 and newer).
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
constexpr bool gpu_tensor_cores = true;
#else
constexpr bool gpu_tensor_cores = false;
#endif
/// Adds the product of matrices of 16 x 4 and 4 x 8 doubles, by all lanes of a warp: lane i passes the elements (i / 4,
/// i mod 4) of the upper and of the lower 8 rows of the left one and (i mod 4, i / 4) of the right one, and gets the
/// elements (i / 4, 2 (i mod 4) + {0, 1}) of both halves of the sum. Unless `both`, the lower half need not be
/// computed.
__device__ inline void gpu_tensor_multiply([[maybe_unused]] double (&upper)[2], [[maybe_unused]] double (&lower)[2],
                                           [[maybe_unused]] double of_upper, [[maybe_unused]] double of_lower,
                                           [[maybe_unused]] double right, [[maybe_unused]] bool both) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900  // NVIDIA's libraries use the larger shape there
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

/// Throws Error(internal), with `what` and CUDA's own words, unless `error` is cudaSuccess.
void check_cuda(cudaError_t error, const char* what);

/// Bytes of dynamic shared memory that a kernel may use without allow_shared_bytes(): a block has 48 KiB, of which kernels
/// declare up to 16 KiB as arrays.
constexpr std::size_t default_shared_bytes = std::size_t{32} << 10;

/// Allows a kernel to use `bytes` of dynamic shared memory; repeated calls are cheap. Throws Error(internal) with the
/// name of the kernel if the device has less.
void allow_shared_bytes(const void* kernel, std::size_t bytes, const char* name);

struct GpuLaunch {
    const char* name;  ///< name of the kernel, for messages
    dim3 grid, block;
    /// Dynamic shared memory of a block, at most the device's limit.
    std::size_t shared_bytes = 0;
};

/// Queues a kernel; does nothing if the grid is empty.
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

/// Grid of blocks of `threads` threads with at least one thread per item.
inline dim3 gpu_blocks(std::uint64_t items, unsigned threads) {
    return dim3(static_cast<unsigned>((items + threads - 1) / threads));
}

}  // namespace strata
