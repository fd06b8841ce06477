// SPDX-License-Identifier: BSD-3-Clause
// Devices by CUDA's runtime; its return codes are checked in this file only.
#include <cstdio>
#include <map>
#include <string>

#include "strata/device.hpp"
#include "strata/error.hpp"
#include "strata/gpu.hpp"
#include "strata/memory.hpp"

namespace strata {
namespace {

/// Kernel that shows, by running, that the program has code for a device.
__global__ void probe(std::uint32_t* answer) { *answer = 42; }

std::string words(cudaError_t error) {
    return std::string(cudaGetErrorString(error)) + " (" + cudaGetErrorName(error) + ")";
}

cudaStream_t stream(device::RawQueue queue) { return static_cast<cudaStream_t>(queue); }
cudaEvent_t cuda_event(device::RawEvent event) { return static_cast<cudaEvent_t>(event); }

}  // namespace

void check_cuda(cudaError_t error, const char* what) {
    if (error == cudaSuccess) return;
    cudaGetLastError();  // clears the error, unless the device is lost
    throw Error(ExitCode::internal, std::string("The device failed at ") + what + ": " + words(error) +
                                        ". A kernel's fault may show later than it happened; with " +
                                        "CUDA_LAUNCH_BLOCKING=1 it is reported at its launch.");
}

void allow_shared_bytes(const void* kernel, std::size_t bytes, const char* name) {
    static std::map<const void*, std::size_t> granted;
    std::size_t& most = granted[kernel];
    if (bytes <= most) return;
    const std::string what =
        std::string(name) + ", which needs " + human_bytes(bytes) + " of shared memory for a block";
    check_cuda(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)),
               what.c_str());
    most = bytes;
}

namespace device {

Support support() {
    int count = 0;
    const cudaError_t error = cudaGetDeviceCount(&count);  // count does not change on failure
    if (error == cudaSuccess && count > 0) return {count, ""};
    cudaGetLastError();
    if (error == cudaErrorInsufficientDriver)
        return {0, "there is no NVIDIA driver, or one too old for CUDA " + std::to_string(CUDART_VERSION / 1000)};
    if (error == cudaErrorNoDevice || error == cudaSuccess) return {0, "there is no device, or it is hidden"};
    return {0, "CUDA says: " + words(error)};
}

Facts facts(int index) {
    cudaDeviceProp p;
    check_cuda(cudaGetDeviceProperties(&p, index), "cudaGetDeviceProperties");
    Facts f;
    f.index = index;
    f.name = p.name;
    f.uuid = "GPU-";
    for (int i = 0; i < 16; ++i) {
        char hex[4];
        std::snprintf(hex, sizeof hex, "%02x", static_cast<unsigned>(static_cast<unsigned char>(p.uuid.bytes[i])));
        f.uuid += (i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "") + std::string(hex);
    }
    char bus[32];
    std::snprintf(bus, sizeof bus, "%04x:%02x:%02x", static_cast<unsigned>(p.pciDomainID),
                  static_cast<unsigned>(p.pciBusID), static_cast<unsigned>(p.pciDeviceID));
    f.bus = bus;
    f.major = p.major;
    f.minor = p.minor;
    f.processors = p.multiProcessorCount;
    f.memory = p.totalGlobalMem;
    f.shared_memory = p.sharedMemPerBlockOptin;
    return f;
}

std::string use(int index) {
    const cudaError_t chosen = cudaSetDevice(index);
    std::uint32_t* answer = nullptr;
    // the first call that needs the device creates its context, which fails if another process uses the device
    // exclusively
    cudaError_t error = chosen != cudaSuccess ? chosen : cudaMalloc(reinterpret_cast<void**>(&answer), sizeof *answer);
    std::uint32_t received = 0;
    if (error == cudaSuccess) {
        cudaLaunchConfig_t config = {};
        config.gridDim = config.blockDim = dim3(1);
        error = cudaLaunchKernelEx(&config, &probe, answer);
        if (error == cudaSuccess)
            error = cudaMemcpyAsync(&received, answer, sizeof received, cudaMemcpyDeviceToHost, nullptr);
        if (error == cudaSuccess) error = cudaDeviceSynchronize();
        cudaFree(answer);
    }
    cudaGetLastError();
    if (error == cudaSuccess && received == 42) return {};
    const std::string which = "device " + std::to_string(index);
    if (error == cudaErrorNoKernelImageForDevice) {
        const Facts f = facts(index);
        return which + " is an sm_" + std::to_string(10 * f.major + f.minor) + ", and this program holds code for " +
               build();
    }
    if (error == cudaErrorDevicesUnavailable)
        return which + " is in use by another process that has it for itself (exclusive mode): start one rank per " +
               "device";
    return which + " does not work: " + words(error);
}

std::uint64_t free_memory() {
    std::size_t free = 0, total = 0;
    check_cuda(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
    return free;
}

std::string build() {
    return "CUDA " + std::to_string(CUDART_VERSION / 1000) + "." + std::to_string(CUDART_VERSION / 10 % 100) + " for " +
           STRATA_CUDA_TARGETS;
}

void* allocate(std::size_t bytes) {
    void* memory = nullptr;
    const cudaError_t error = cudaMalloc(&memory, bytes);
    if (error == cudaErrorMemoryAllocation) {
        cudaGetLastError();
        throw Error(ExitCode::does_not_fit, "The device has no " + human_bytes(bytes) + " left.");
    }
    check_cuda(error, "cudaMalloc");
    return memory;
}

void* allocate_pinned(std::size_t bytes) {
    void* memory = nullptr;
    const cudaError_t error = cudaMallocHost(&memory, bytes);
    if (error == cudaErrorMemoryAllocation) {
        cudaGetLastError();
        throw Error(ExitCode::does_not_fit, "No " + human_bytes(bytes) + " of host memory can be pinned.");
    }
    check_cuda(error, "cudaMallocHost");
    return memory;
}

// errors of releases are ignored: a destructor cannot report them
void release(void* memory) noexcept { cudaFree(memory); }
void release_pinned(void* memory) noexcept { cudaFreeHost(memory); }
void destroy_queue(RawQueue queue) noexcept { cudaStreamDestroy(stream(queue)); }
void destroy_event(RawEvent event) noexcept { cudaEventDestroy(cuda_event(event)); }

RawQueue make_queue() {
    cudaStream_t made = nullptr;
    check_cuda(cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking), "cudaStreamCreate");
    return made;
}

void wait(RawQueue queue) { check_cuda(cudaStreamSynchronize(stream(queue)), "cudaStreamSynchronize"); }

void copy(RawQueue queue, void* to, const void* from, std::size_t bytes, Direction direction) {
    const cudaMemcpyKind kind = direction == Direction::to_device ? cudaMemcpyHostToDevice
                                : direction == Direction::to_host ? cudaMemcpyDeviceToHost
                                                                  : cudaMemcpyDeviceToDevice;
    check_cuda(cudaMemcpyAsync(to, from, bytes, kind, stream(queue)), "cudaMemcpyAsync");
}

void fill(RawQueue queue, void* memory, int byte, std::size_t bytes) {
    check_cuda(cudaMemsetAsync(memory, byte, bytes, stream(queue)), "cudaMemsetAsync");
}

RawEvent make_event() {
    cudaEvent_t made = nullptr;
    check_cuda(cudaEventCreate(&made), "cudaEventCreate");
    return made;
}

void record(RawEvent event, RawQueue queue) {
    check_cuda(cudaEventRecord(cuda_event(event), stream(queue)), "cudaEventRecord");
}

void wait_for(RawEvent event) { check_cuda(cudaEventSynchronize(cuda_event(event)), "cudaEventSynchronize"); }

double seconds_between(RawEvent start, RawEvent end) {
    float milliseconds = 0;
    check_cuda(cudaEventElapsedTime(&milliseconds, cuda_event(start), cuda_event(end)), "cudaEventElapsedTime");
    return 1e-3 * static_cast<double>(milliseconds);
}

}  // namespace device
}  // namespace strata
