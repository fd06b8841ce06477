// SPDX-License-Identifier: BSD-3-Clause
// Copy bandwidth of a device, the limit with which its kernels are compared.
#pragma once

#include <algorithm>
#include <cstdint>

#include "strata/queue.hpp"

namespace strata::perf {

/// Bytes per second, read and written, of a copy within the device: the best of several copies.
inline double copy_bandwidth(std::uint64_t bytes) {
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

}  // namespace strata::perf
