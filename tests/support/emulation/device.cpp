// SPDX-License-Identifier: BSD-3-Clause
// Queues, events and memory of the emulated device. Memory is counted and has a limit; faults are set by the
// environment.
#include "emulation/device.hpp"

#include <omp.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <numeric>
#include <set>

#include "cuda_runtime.h"

namespace emulation {
namespace {

constexpr std::size_t default_shared_bytes = 49152;

std::uint64_t options(const char* name, std::uint64_t otherwise) {
    const char* text = std::getenv(name);
    return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

std::uint64_t largest_shared_bytes() { return options("EMULATION_SHARED", 232448); }

bool says(const char* name, const char* word) {
    const char* text = std::getenv(name);
    return text != nullptr && std::string(text) == word;
}

struct State {
    cudaError_t last = cudaSuccess;    ///< until asked for
    cudaError_t sticky = cudaSuccess;  ///< a kernel that went wrong: nothing works any more
    std::string fault;
    std::uint64_t seed = options("EMULATION_SEED", 0);
    std::uint64_t launches = 0;
    int device = 0;
    std::map<void*, std::size_t> memory;
    std::size_t used = 0;
    std::set<Stream*> streams;
    std::map<const void*, std::size_t> shared_bytes;  ///< [kernel] dynamic shared memory that it was allowed
};

State& state() {
    static State s;
    return s;
}

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

cudaError_t raise(cudaError_t error) {
    if (error != cudaSuccess) state().last = error;
    return error;
}

/// What every call says first: no device, or a kernel that went wrong earlier.
cudaError_t standing() {
    if (state().sticky != cudaSuccess) return raise(state().sticky);
    return raise(static_cast<cudaError_t>(options("EMULATION_ERROR", 0)));
}

void run_grid(const Geometry& geometry, const std::function<void()>& thread) {
    State& s = state();
    if (s.sticky != cudaSuccess) return;
    const std::uint64_t blocks = geometry.grid.count();
    std::vector<std::uint64_t> order(blocks);
    std::iota(order.begin(), order.end(), std::uint64_t{0});
    std::mt19937_64 random(s.seed + s.launches);
    if (s.seed != 0) std::shuffle(order.begin(), order.end(), random);
    std::mutex mutex;
#pragma omp parallel
    {
        const std::uint64_t salt = static_cast<std::uint64_t>(omp_get_thread_num());
        Block block(geometry, s.seed == 0 ? 0 : 1 + s.seed * 1000003 + s.launches * 64 + salt);
#pragma omp for schedule(dynamic)
        for (std::uint64_t i = 0; i < blocks; ++i) {
            const std::uint64_t b = order[i];
            const dim3 index(static_cast<unsigned>(b % geometry.grid.x),
                             static_cast<unsigned>(b / geometry.grid.x % geometry.grid.y),
                             static_cast<unsigned>(b / geometry.grid.x / geometry.grid.y));
            const std::string fault = block.run(index, thread);
            if (fault.empty()) continue;
            const std::lock_guard lock(mutex);
            s.sticky = cudaErrorLaunchFailure;
            if (s.fault.empty()) s.fault = fault;
        }
    }
}

}  // namespace

const std::string& last_fault() { return state().fault; }

void reset(std::uint64_t seed) {
    State& s = state();
    for (Stream* stream : s.streams) stream->work.clear(), stream->done = stream->queued;
    s.last = s.sticky = cudaSuccess;
    s.fault.clear();
    s.seed = seed;
}

void Stream::add(std::function<void()> item) {
    work.push_back(std::move(item));
    ++queued;
}

void Stream::run_until(std::uint64_t number) {
    while (done < number && !work.empty()) {
        const std::function<void()> item = std::move(work.front());
        work.pop_front();
        ++done;
        item();
    }
}

Stream& default_stream() {
    static Stream stream;
    state().streams.insert(&stream);
    return stream;
}

void finish_all() {
    for (Stream* stream : state().streams) stream->finish();
}

int launch(const void* kernel, const Geometry& geometry, Stream& stream, std::function<void()> thread) {
    State& s = state();
    if (const cudaError_t error = standing()) return error;
    const dim3 &g = geometry.grid, &b = geometry.block;
    const auto allowed = s.shared_bytes.find(kernel);
    const std::size_t shared = allowed == s.shared_bytes.end() ? default_shared_bytes : allowed->second;
    const bool sound = g.count() > 0 && g.x <= 2147483647u && g.y <= 65535 && g.z <= 65535 && b.count() > 0 &&
                       b.count() <= 1024 && b.z <= 64 && geometry.dynamic_shared_bytes <= shared;
    if (!sound) return raise(cudaErrorInvalidConfiguration);
    if (says("EMULATION_IMAGE", "no")) return raise(cudaErrorNoKernelImageForDevice);
    if (++s.launches > options("EMULATION_LAUNCHES", UINT64_MAX)) return raise(cudaErrorLaunchFailure);
    Geometry checked = geometry;
    checked.shared_limit = allowed == s.shared_bytes.end() ? default_shared_bytes : largest_shared_bytes();
    stream.add([checked, thread = std::move(thread)] { run_grid(checked, thread); });
    return cudaSuccess;
}

}  // namespace emulation

using emulation::state;

cudaError_t cudaGetDeviceCount(int* count) {
    if (const cudaError_t error = emulation::standing()) return error;
    *count = static_cast<int>(emulation::options("EMULATION_DEVICES", 1));
    return *count == 0 ? emulation::raise(cudaErrorNoDevice) : cudaSuccess;
}

cudaError_t cudaSetDevice(int device) {
    if (const cudaError_t error = emulation::standing()) return error;
    if (emulation::says("EMULATION_EXCLUSIVE", "yes")) return emulation::raise(cudaErrorDevicesUnavailable);
    state().device = device;
    return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
    if (const cudaError_t error = emulation::standing()) return error;
    *properties = {};
    std::strcpy(properties->name, "emulated device");
    for (int i = 0; i < 16; ++i) properties->uuid.bytes[i] = static_cast<char>(device + i);
    properties->totalGlobalMem = emulation::options("EMULATION_MEMORY", std::uint64_t{4} << 30);
    properties->sharedMemPerBlockOptin = emulation::largest_shared_bytes();
    properties->major = 9;
    properties->multiProcessorCount = 4;
    properties->pciBusID = device;
    return cudaSuccess;
}

cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
    if (const cudaError_t error = emulation::standing()) return error;
    *total = emulation::options("EMULATION_MEMORY", std::uint64_t{4} << 30);
    *free = *total - std::min(*total, state().used);
    return cudaSuccess;
}

cudaError_t cudaFuncSetAttribute(const void* kernel, cudaFuncAttribute attribute, int value) {
    if (const cudaError_t error = emulation::standing()) return error;
    const auto bytes = static_cast<std::size_t>(value);
    if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize || value < 0 ||
        bytes > emulation::largest_shared_bytes())
        return emulation::raise(cudaErrorInvalidValue);
    state().shared_bytes[kernel] = bytes;
    return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int* version) { return *version = 13000, cudaSuccess; }
cudaError_t cudaRuntimeGetVersion(int* version) { return *version = 13000, cudaSuccess; }

cudaError_t cudaMalloc(void** memory, std::size_t bytes) {
    std::size_t free = 0, total = 0;
    if (const cudaError_t error = cudaMemGetInfo(&free, &total)) return error;
    if (bytes > free) return emulation::raise(cudaErrorMemoryAllocation);
    *memory = std::malloc(bytes == 0 ? 1 : bytes);
    std::memset(*memory, 0xFF, bytes);
    state().memory[*memory] = bytes;
    state().used += bytes;
    return cudaSuccess;
}

cudaError_t cudaFree(void* memory) {
    if (memory == nullptr) return cudaSuccess;
    emulation::finish_all();
    const auto found = state().memory.find(memory);
    if (found == state().memory.end()) return emulation::raise(cudaErrorInvalidValue);
    state().used -= found->second;
    state().memory.erase(found);
    std::free(memory);
    return emulation::standing();
}

cudaError_t cudaMallocHost(void** memory, std::size_t bytes) {
    if (const cudaError_t error = emulation::standing()) return error;
    *memory = std::malloc(bytes == 0 ? 1 : bytes);
    std::memset(*memory, 0xFF, bytes);
    return cudaSuccess;
}

cudaError_t cudaFreeHost(void* memory) {
    emulation::finish_all();
    std::free(memory);
    return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind, cudaStream_t stream) {
    if (const cudaError_t error = emulation::standing()) return error;
    if (bytes != 0) emulation::of(stream).add([=] { std::memcpy(to, from, bytes); });
    return cudaSuccess;
}

cudaError_t cudaMemsetAsync(void* to, int value, std::size_t bytes, cudaStream_t stream) {
    if (const cudaError_t error = emulation::standing()) return error;
    if (bytes != 0) emulation::of(stream).add([=] { std::memset(to, value, bytes); });
    return cudaSuccess;
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
    if (const cudaError_t error = emulation::standing()) return error;
    state().streams.insert(*stream = new emulation::Stream);
    return cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    stream->finish();
    state().streams.erase(stream);
    delete stream;
    return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    emulation::of(stream).finish();
    return emulation::standing();
}

cudaError_t cudaDeviceSynchronize() {
    emulation::finish_all();
    return emulation::standing();
}

cudaError_t cudaEventCreate(cudaEvent_t* event) {
    if (const cudaError_t error = emulation::standing()) return error;
    *event = new emulation::Event;
    return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
    if (event->stream != nullptr) event->stream->run_until(event->number);
    delete event;
    return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    if (const cudaError_t error = emulation::standing()) return error;
    emulation::Stream& s = emulation::of(stream);
    s.add([event] { event->time = emulation::now(); });
    event->stream = &s;
    event->number = s.queued;
    return cudaSuccess;
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
    if (event->stream != nullptr) event->stream->run_until(event->number);
    return emulation::standing();
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
    if (start->stream == nullptr || end->stream == nullptr || start->stream->done < start->number ||
        end->stream->done < end->number)
        return emulation::raise(cudaErrorNotReady);
    *milliseconds = static_cast<float>(1e3 * (end->time - start->time));
    return cudaSuccess;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
    if (event->stream == nullptr) return cudaSuccess;
    emulation::of(stream).add([from = event->stream, number = event->number] { from->run_until(number); });
    return cudaSuccess;
}

cudaError_t cudaGetLastError() { return std::exchange(state().last, state().sticky); }

const char* cudaGetErrorName(cudaError_t error) {
    switch (error) {
        case cudaSuccess: return "cudaSuccess";
        case cudaErrorInvalidConfiguration: return "cudaErrorInvalidConfiguration";
        case cudaErrorMemoryAllocation: return "cudaErrorMemoryAllocation";
        case cudaErrorInsufficientDriver: return "cudaErrorInsufficientDriver";
        case cudaErrorNoDevice: return "cudaErrorNoDevice";
        case cudaErrorNoKernelImageForDevice: return "cudaErrorNoKernelImageForDevice";
        case cudaErrorLaunchFailure: return "cudaErrorLaunchFailure";
        default: return "cudaErrorUnknown";
    }
}

const char* cudaGetErrorString(cudaError_t error) {
    return error == cudaErrorLaunchFailure && !state().fault.empty() ? state().fault.c_str() : cudaGetErrorName(error);
}
