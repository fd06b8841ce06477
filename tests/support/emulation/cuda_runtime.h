// SPDX-License-Identifier: BSD-3-Clause
// CUDA's runtime and built-ins on the CPU, for tests: kernels and the code that drives them are compiled by g++ with
// this header in the place of the toolkit's. Only what strata uses is here.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <tuple>
#include <type_traits>
#include <utility>

#include "emulation/block.hpp"
#include "emulation/device.hpp"

#define CUDART_VERSION 13000
#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __launch_bounds__(...)

#define threadIdx (::emulation::Block::current().thread_index())
#define blockIdx (::emulation::Block::current().block_index())

// What differs between the toolkit and its emulation beyond names (strata/gpu.hpp).
#define GPU_SHARED(T, name, count)                                                                                 \
    static const char name##_key = 0;                                                                              \
    const ::emulation::SharedArray<T> name(::emulation::Block::current().shared(&name##_key, sizeof(T) * (count)), \
                                           #name)
/// The same memory for all types.
template <class T>
emulation::SharedArray<T> gpu_dynamic_shared() {
    emulation::Block& block = emulation::Block::current();
    return {block.shared(&block, block.geometry().dynamic_shared_bytes), "dynamic shared memory"};
}
template <class T>
T gpu_load_relaxed(const T* from) {
    emulation::Block::current().give_way();
    return __atomic_load_n(from, __ATOMIC_RELAXED);
}
template <class T>
void gpu_store_relaxed(T* to, T value) {
    emulation::Block::current().give_way();
    __atomic_store_n(to, value, __ATOMIC_RELAXED);
}

inline void __syncthreads(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
    emulation::Block::current().barrier({file, line});
}

namespace emulation {

template <class T>
T exchange(Intrinsic intrinsic, unsigned mask, T value, unsigned operand, unsigned width, Place place) {
    static_assert(sizeof(T) <= sizeof(std::uint64_t));
    Offer offer = {intrinsic, mask, 0, operand, width};
    std::memcpy(&offer.value, &value, sizeof value);
    const std::uint64_t bits = Block::current().exchange(offer, place);
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

}  // namespace emulation

#define EMULATION_PLACE const char *file = __builtin_FILE(), int line = __builtin_LINE()
inline void __syncwarp(unsigned mask = ~0u, EMULATION_PLACE) {
    emulation::exchange(emulation::Intrinsic::sync, mask, 0, 0, 32, {file, line});
}
inline unsigned __ballot_sync(unsigned mask, int vote, EMULATION_PLACE) {
    return emulation::exchange(emulation::Intrinsic::ballot, mask, vote != 0 ? 1u : 0u, 0, 32, {file, line});
}
inline int __any_sync(unsigned mask, int vote, EMULATION_PLACE) {
    return emulation::exchange(emulation::Intrinsic::any, mask, vote != 0 ? 1 : 0, 0, 32, {file, line});
}
inline int __all_sync(unsigned mask, int vote, EMULATION_PLACE) {
    return emulation::exchange(emulation::Intrinsic::all, mask, vote != 0 ? 1 : 0, 0, 32, {file, line});
}
template <class T>
T __shfl_sync(unsigned mask, T value, int lane, int width = 32, EMULATION_PLACE) {
    return emulation::exchange(emulation::Intrinsic::shuffle, mask, value, static_cast<unsigned>(lane),
                               static_cast<unsigned>(width), {file, line});
}
template <class T>
T __shfl_up_sync(unsigned mask, T value, unsigned distance, int width = 32, EMULATION_PLACE) {
    return emulation::exchange(emulation::Intrinsic::shuffle_up, mask, value, distance, static_cast<unsigned>(width),
                               {file, line});
}
template <class T>
T __shfl_down_sync(unsigned mask, T value, unsigned distance, int width = 32, EMULATION_PLACE) {
    return emulation::exchange(emulation::Intrinsic::shuffle_down, mask, value, distance, static_cast<unsigned>(width),
                               {file, line});
}
template <class T>
T __shfl_xor_sync(unsigned mask, T value, int lanes, int width = 32, EMULATION_PLACE) {
    return emulation::exchange(emulation::Intrinsic::shuffle_xor, mask, value, static_cast<unsigned>(lanes),
                               static_cast<unsigned>(width), {file, line});
}

/// Tensor cores as chains of multiply-adds, in the order of the depth. The lanes show each other what they bring.
constexpr bool gpu_tensor_cores = true;
inline void gpu_tensor_multiply(double (&upper)[2], double (&lower)[2], double of_upper, double of_lower, double right,
                                bool both, EMULATION_PLACE) {
    static const char key = 0;
    const emulation::Geometry& geometry = emulation::Block::current().geometry();
    const emulation::SharedArray<double> brought(
        emulation::Block::current().shared(&key, 3 * geometry.block.count() * sizeof(double), false),
        "operands of tensors");
    const unsigned lane = threadIdx.x % 32, first = threadIdx.x - lane;
    const double own[] = {of_upper, of_lower, right};
    for (unsigned i = 0; i < 3; ++i) brought[3 * threadIdx.x + i] = own[i];
    __syncwarp(~0u, file, line);
    for (unsigned e = 0; e < 2; ++e)
        for (unsigned d = 0; d < 4; ++d) {
            const unsigned left = 3 * (first + lane / 4 * 4 + d), column = 3 * (first + 4 * (2 * (lane % 4) + e) + d);
            const double factor = brought[column + 2], of_rows[] = {brought[left], brought[left + 1]};
            upper[e] = std::fma(of_rows[0], factor, upper[e]);
            if (both) lower[e] = std::fma(of_rows[1], factor, lower[e]);
        }
    __syncwarp(~0u, file, line);
}
#undef EMULATION_PLACE

namespace emulation {

/// Replaces *place by change(*place) atomically; returns what was there.
template <class T, class Change>
T atomically(T* place, Change change) {
    Block::current().give_way();
    T old = __atomic_load_n(place, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(place, &old, change(old), false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
    return old;
}

}  // namespace emulation

template <class T>
T atomicAdd(T* place, std::type_identity_t<T> value) {
    if constexpr (std::is_floating_point_v<T>) {
        using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
        const auto add = [value](Bits bits) {
            T number;
            std::memcpy(&number, &bits, sizeof number);
            number += value;
            std::memcpy(&bits, &number, sizeof bits);
            return bits;
        };
        const Bits old = emulation::atomically(reinterpret_cast<Bits*>(place), add);
        T number;
        std::memcpy(&number, &old, sizeof number);
        return number;
    } else {
        return emulation::atomically(place, [value](T old) { return static_cast<T>(old + value); });
    }
}
template <class T>
T atomicMin(T* place, std::type_identity_t<T> value) {
    return emulation::atomically(place, [value](T old) { return old < value ? old : value; });
}
template <class T>
T atomicMax(T* place, std::type_identity_t<T> value) {
    return emulation::atomically(place, [value](T old) { return old > value ? old : value; });
}
template <class T>
T atomicOr(T* place, std::type_identity_t<T> value) {
    return emulation::atomically(place, [value](T old) { return old | value; });
}
template <class T>
T atomicExch(T* place, std::type_identity_t<T> value) {
    return emulation::atomically(place, [value](T) { return value; });
}
template <class T>
T atomicCAS(T* place, std::type_identity_t<T> expected, std::type_identity_t<T> value) {
    return emulation::atomically(place, [=](T old) { return old == expected ? value : old; });
}

inline int __popc(unsigned word) { return __builtin_popcount(word); }
inline int __popcll(unsigned long long word) { return __builtin_popcountll(word); }
inline int __ffsll(long long word) { return __builtin_ffsll(word); }
template <class T>
T __ldg(const T* from) {
    return *from;
}

enum cudaError_t : int {
    cudaSuccess = 0,
    cudaErrorInvalidValue = 1,
    cudaErrorMemoryAllocation = 2,
    cudaErrorInvalidConfiguration = 9,
    cudaErrorInsufficientDriver = 35,
    cudaErrorDevicesUnavailable = 46,
    cudaErrorNoDevice = 100,
    cudaErrorNoKernelImageForDevice = 209,
    cudaErrorNotReady = 600,
    cudaErrorLaunchFailure = 719
};
enum cudaMemcpyKind { cudaMemcpyHostToHost, cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice };
enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize = 8 };
using cudaStream_t = emulation::Stream*;
using cudaEvent_t = emulation::Event*;
constexpr unsigned cudaStreamNonBlocking = 1;
struct cudaDeviceProp {
    char name[256];
    struct {
        char bytes[16];
    } uuid;
    std::size_t totalGlobalMem, sharedMemPerBlockOptin;
    int major, minor, multiProcessorCount, pciDomainID, pciBusID, pciDeviceID;
};
struct cudaLaunchConfig_t {
    dim3 gridDim, blockDim;
    std::size_t dynamicSmemBytes;
    cudaStream_t stream;
    void* attrs;
    unsigned numAttrs;
};

cudaError_t cudaGetDeviceCount(int* count);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device);
cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total);
cudaError_t cudaDriverGetVersion(int* version);
cudaError_t cudaRuntimeGetVersion(int* version);
cudaError_t cudaMalloc(void** memory, std::size_t bytes);
cudaError_t cudaFree(void* memory);
cudaError_t cudaMallocHost(void** memory, std::size_t bytes);
cudaError_t cudaFreeHost(void* memory);
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, cudaStream_t stream);
cudaError_t cudaMemsetAsync(void* to, int value, std::size_t bytes, cudaStream_t stream);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags);
cudaError_t cudaDeviceSynchronize();
cudaError_t cudaEventCreate(cudaEvent_t* event);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end);
cudaError_t cudaGetLastError();
cudaError_t cudaFuncSetAttribute(const void* kernel, cudaFuncAttribute attribute, int value);
const char* cudaGetErrorName(cudaError_t error);
const char* cudaGetErrorString(cudaError_t error);

namespace emulation {
inline Stream& of(cudaStream_t stream) { return stream == nullptr ? default_stream() : *stream; }
}  // namespace emulation

template <class... Parameters, class... Arguments>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*kernel)(Parameters...),
                               Arguments&&... arguments) {
    std::tuple<std::decay_t<Parameters>...> values(static_cast<Parameters>(arguments)...);
    return static_cast<cudaError_t>(emulation::launch(
        reinterpret_cast<const void*>(kernel), {config->gridDim, config->blockDim, config->dynamicSmemBytes},
        emulation::of(config->stream), [kernel, values] { std::apply(kernel, values); }));
}
