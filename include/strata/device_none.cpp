// SPDX-License-Identifier: BSD-3-Clause
// A build without CUDA: support() reports that there are no devices, so that no other function is called.
#include "strata/device.hpp"
#include "strata/error.hpp"

namespace strata::device {
namespace {

[[noreturn]] void none() { throw Error(ExitCode::internal, "This build of strata has no CUDA."); }

}  // namespace

Support support() { return {0, "this build of strata has no CUDA"}; }
Facts facts(int) { none(); }
std::string use(int) { none(); }
std::uint64_t free_memory() { none(); }
std::string build() { return "none in this build"; }
void* allocate(std::size_t) { none(); }
void release(void*) noexcept {}
void* allocate_pinned(std::size_t) { none(); }
void release_pinned(void*) noexcept {}
RawQueue make_queue() { none(); }
void destroy_queue(RawQueue) noexcept {}
void wait(RawQueue) { none(); }
void copy(RawQueue, void*, const void*, std::size_t, Direction) { none(); }
void fill(RawQueue, void*, int, std::size_t) { none(); }
RawEvent make_event() { none(); }
void destroy_event(RawEvent) noexcept {}
void record(RawEvent, RawQueue) { none(); }
void wait_for(RawEvent) { none(); }
double seconds_between(RawEvent, RawEvent) { none(); }

}  // namespace strata::device
