// SPDX-License-Identifier: BSD-3-Clause
// The devices (GPUs) of this process, without types of CUDA: properties, memory, queues and events. In a build without
// CUDA there are no devices, and all other functions throw. A failure of a device is an Error(internal) that names the
// call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace strata::device {

/// Number of devices that this process may use; if 0, the reason as the end of a sentence, e.g. "there is no driver".
struct Support {
    int count = 0;
    std::string reason;
};
Support support();

struct Facts {
    int index = 0;
    std::string name, uuid, bus;  ///< bus: PCI domain:bus:device
    int major = 0, minor = 0;     ///< compute capability
    int processors = 0;
    std::uint64_t memory = 0;         ///< total bytes
    std::uint64_t shared_memory = 0;  ///< largest number of bytes for a block of threads
};
Facts facts(int index);

/// Selects the device of this process. Returns "", or a sentence with the reason why the device cannot be used, e.g.
/// that this program has no code for it or that another process uses it exclusively.
std::string use(int index);
/// Free bytes of the selected device.
std::uint64_t free_memory();

/// Device support of the build: "CUDA 13.0 for sm_75 sm_80 sm_90", or "none in this build".
std::string build();

/// Allocates device memory, and below pinned host memory. Throws Error(does_not_fit) if there is not enough.
void* allocate(std::size_t bytes);
void release(void* memory) noexcept;
void* allocate_pinned(std::size_t bytes);
void release_pinned(void* memory) noexcept;

using RawQueue = void*;
RawQueue make_queue();
void destroy_queue(RawQueue queue) noexcept;
void wait(RawQueue queue);

enum class Direction { to_device, to_host, on_device };
void copy(RawQueue queue, void* to, const void* from, std::size_t bytes, Direction direction);
void fill(RawQueue queue, void* memory, int byte, std::size_t bytes);

using RawEvent = void*;
RawEvent make_event();
void destroy_event(RawEvent event) noexcept;
void record(RawEvent event, RawQueue queue);
void wait_for(RawEvent event);
/// Seconds between two events, both of which must have been reached.
double seconds_between(RawEvent start, RawEvent end);

}  // namespace strata::device
