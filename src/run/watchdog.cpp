// SPDX-License-Identifier: BSD-3-Clause
// The watchdog thread sleeps on a condition variable and compares clocks; the run loop only stores the time of its last
// step.
#include "run/watchdog.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "strata/timer.hpp"

namespace strata {
namespace {

constexpr double least_pause = 1;     // seconds between two reports
constexpr double longest_wait = 1e6;  // seconds: a clock of nanoseconds in 64 bits ends after 292 years

}  // namespace

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
    double next = 0;  // earliest time of a report
    std::unique_lock lock(mutex_);
    while (!leaving_) {
        const double now = monotonic_seconds();
        const double left = std::max(last_.load(std::memory_order_relaxed) + stall_timeout_, next) - now;
        if (left > 0) {
            wake_.wait_for(lock, std::chrono::duration<double>(std::min(left, longest_wait)));
            continue;
        }
        next = now + std::max(stall_timeout_, least_pause);
        stalled_(now - last_.load(std::memory_order_relaxed));
    }
}

}  // namespace strata
