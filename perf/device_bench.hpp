// SPDX-License-Identifier: BSD-3-Clause
// What the benchmarks of a device share: the device, its copy bandwidth, which is the limit that kernels are compared
// with, and the times of phases.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "comm/device_binding.hpp"
#include "strata/queue.hpp"
#include "strata/timer.hpp"

namespace strata::perf {

/// The device of this process; prints why there is none, in which case it is not usable. Collective.
inline DeviceBinding bound_device(const Communicator& comm) {
    DeviceBinding device = bind_device(comm, find_placement(comm), GpuAware::off);
    if (!device.usable) std::printf("No device is usable: %s.\n", device.reason.c_str());
    return device;
}

/// Bytes per second, read and written, of a copy within the device: the best of several copies.
inline double copy_bandwidth() {
    const std::uint64_t bytes = std::min<std::uint64_t>(std::uint64_t{2} << 30, device::free_memory() / 8);
    const Queue<Cuda> queue;
    Buffer<char, Cuda> from(bytes), to(bytes);
    fill_bytes(queue, from.view(), 1);
    double best = 0;
    for (int repeat = 0; repeat < 8; ++repeat) {
        Event start, end;
        start.set(queue);
        device::copy(queue.raw(), to.data(), from.data(), bytes, device::Direction::on_device);
        end.set(queue);
        end.wait();
        best = std::max(best, 2 * static_cast<double>(bytes) / std::max(1e-9, end.seconds_since(start)));
    }
    return best;
}

/// The phases of some timers without what they had before.
inline std::vector<Timers::Phase> phases_since(const std::vector<Timers::Phase>& before, const Timers& timers) {
    std::vector<Timers::Phase> phases = timers.phases();
    for (Timers::Phase& phase : phases) {
        const auto earlier = std::ranges::find(before, phase.name, &Timers::Phase::name);
        if (earlier != before.end()) phase.seconds -= earlier->seconds;
    }
    return phases;
}

/// Ends a row of a table with the phases that take more than half a percent of some seconds.
inline void print_phases(const std::vector<Timers::Phase>& phases, double seconds) {
    for (const Timers::Phase& phase : phases)
        if (phase.seconds > 0.005 * seconds)
            std::printf(" %s %.0f %%", phase.name.c_str(), 100 * phase.seconds / seconds);
    std::printf(" |\n");
    std::fflush(stdout);
}

}  // namespace strata::perf
