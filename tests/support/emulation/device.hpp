// SPDX-License-Identifier: BSD-3-Clause
// The emulated devices: memory that starts poisoned, streams whose work is done only when somebody waits for it (so
// that a missing wait is seen), sticky errors. What goes wrong is set by the environment, so that whole programs can be
// driven:
//   EMULATION_DEVICES=2      devices there are (default 1)
//   EMULATION_ERROR=35       what cudaGetDeviceCount says instead (35: no driver, 100: no device)
//   EMULATION_IMAGE=no       launches fail with 209: no code for this device
//   EMULATION_MEMORY=1000000 bytes of memory (default 4 GiB)
//   EMULATION_SHARED=65536   bytes of shared memory of a block (default: those of compute capability 9.0)
//   EMULATION_EXCLUSIVE=yes  the second process on a device is refused with 46
//   EMULATION_LAUNCHES=5     the launch after that many fails
//   EMULATION_SEED=3         schedule of blocks and threads (0: in order)
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>

#include "emulation/block.hpp"

namespace emulation {

/// What went wrong in the last kernel that did; "" if none. Cleared by reset().
const std::string& last_fault();
/// Forgets errors; 0 threads run in order, other seeds shuffle.
void reset(std::uint64_t seed = 0);

/// Work in order, done when somebody waits.
struct Stream {
    std::deque<std::function<void()>> work;
    std::uint64_t queued = 0, done = 0;

    void add(std::function<void()> item);
    void run_until(std::uint64_t number);
    void finish() { run_until(queued); }
};

/// A point in a stream.
struct Event {
    Stream* stream = nullptr;
    std::uint64_t number = 0;
    double time = 0;
};

Stream& default_stream();
void finish_all();

/// All blocks of a kernel, several at a time. `thread` is the kernel with its arguments.
int launch(const void* kernel, const Geometry& geometry, Stream& stream, std::function<void()> thread);

}  // namespace emulation
