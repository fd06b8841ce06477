// SPDX-License-Identifier: BSD-3-Clause
// A thread that speaks up when the run does not move: each rank names the step and the phase it is in, so that the
// user sees which rank the others wait for.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace strata {

class Watchdog {
  public:
    /// Calls `stalled(seconds)` from its own thread whenever no step was reported for another `stall_timeout` seconds,
    /// but not twice in a second.
    /// Infinite or zero stall_timeout: no thread.
    Watchdog(double stall_timeout, std::function<void(double seconds)> stalled);
    ~Watchdog();
    Watchdog(const Watchdog&) = delete;
    Watchdog& operator=(const Watchdog&) = delete;

    /// The run moved.
    void step_made();

  private:
    void watch();

    double stall_timeout_;
    std::function<void(double)> stalled_;
    std::atomic<double> last_;
    bool leaving_ = false;
    std::mutex mutex_;
    std::condition_variable wake_;
    std::thread thread_;
};

}  // namespace strata
