// SPDX-License-Identifier: BSD-3-Clause
// The devices (GPUs) of this process without any type of theirs: what there is, their memory, work in order. In a build
// without CUDA there are none, and the rest throws. A failure of the device is an Error(internal) that names the call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace strata::device {

/// Devices this process may use; if none, why, as the end of a sentence: "there is no driver".
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
    std::uint64_t memory = 0;         ///< bytes in all
    std::uint64_t shared_memory = 0;  ///< bytes of a block of threads, at most
};
Facts facts(int index);

/// Work of this process goes to that device from now on. Returns "" or why it is of no use, as a sentence: it has no
/// code in this program, or another process uses it exclusively.
std::string use(int index);
/// Bytes free on the device in use.
std::uint64_t free_memory();

/// What the program was built with: "CUDA 13.0 for sm_75 sm_80 sm_90", or "none in this build".
std::string build();

/// Throws Error(does_not_fit) if there is not so much.
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
/// Seconds between two events that have been reached.
double seconds_between(RawEvent start, RawEvent end);

}  // namespace strata::device
