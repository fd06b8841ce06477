// SPDX-License-Identifier: BSD-3-Clause
// Watchdog thread: reports a run whose steps do not finish. Each rank then prints its step and phase, so that the user
// sees which rank the others wait for.
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
    /// Calls `stalled(seconds since the last step)` from its own thread when no step was reported for `stall_timeout`
    /// seconds, and repeats this every `stall_timeout` seconds, at most once per second. Infinite or zero
    /// stall_timeout: no thread.
    Watchdog(double stall_timeout, std::function<void(double seconds)> stalled);
    ~Watchdog();
    Watchdog(const Watchdog&) = delete;
    Watchdog& operator=(const Watchdog&) = delete;

    /// Reports that a step was finished.
    void step_made();

  private:
    void watch();

    double stall_timeout_;
    std::function<void(double)> stalled_;
    std::atomic<double> last_;  ///< monotonic_seconds() of the last step
    bool leaving_ = false;
    std::mutex mutex_;
    std::condition_variable wake_;
    std::thread thread_;
};

}  // namespace strata
