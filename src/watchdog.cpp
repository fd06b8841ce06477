// SPDX-License-Identifier: BSD-3-Clause
// The thread sleeps on a condition variable and compares clocks; the run loop only stores the time of its last step.
#include "watchdog.hpp"

#include <chrono>
#include <cmath>

#include "strata/timer.hpp"

namespace strata {

Watchdog::Watchdog(double stall_timeout, std::function<void(double seconds)> stalled)
    : stall_timeout_(stall_timeout), stalled_(std::move(stalled)), last_(monotonic_seconds()) {
    if (stall_timeout_ > 0 && std::isfinite(stall_timeout_)) thread_ = std::thread([this] { watch(); });
}

Watchdog::~Watchdog() {
    {
        const std::lock_guard lock(mutex_);
        leaving_ = true;
    }
    wake_.notify_one();
    if (thread_.joinable()) thread_.join();
}

void Watchdog::step_made() { last_.store(monotonic_seconds(), std::memory_order_relaxed); }

void Watchdog::watch() {
    double reported = 0;  // when the last report was made
    std::unique_lock lock(mutex_);
    while (!leaving_) {
        const double now = monotonic_seconds();
        const double quiet_since = std::max(last_.load(std::memory_order_relaxed), reported);
        const double left = quiet_since + stall_timeout_ - now;
        if (left > 0) {
            wake_.wait_for(lock, std::chrono::duration<double>(left));
            continue;
        }
        reported = now;
        stalled_(now - last_.load(std::memory_order_relaxed));
    }
}

}  // namespace strata
