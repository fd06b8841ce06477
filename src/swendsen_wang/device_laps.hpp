// SPDX-License-Identifier: BSD-3-Clause
// Seconds of a sweep's phases on a device. The host only sets marks and goes on; it looks at those of the sweep before
// last when a new one begins, so that at most two sweeps are under way and neither waits for the host.
#pragma once

#include <string_view>
#include <vector>

#include "strata/queue.hpp"
#include "strata/timer.hpp"

namespace strata::swendsen_wang {

class DeviceLaps {
  public:
    /// A sweep begins; the one before last is collected.
    void begin(const Queue<Cuda>& queue, Timers& timers) {
        now_ = 1 - now_;
        collect(sweeps_[now_], timers);
        close(queue, "");
    }
    /// What was queued since the last mark belongs to `phase`; to none if that is empty.
    void close(const Queue<Cuda>& queue, std::string_view phase) {
        Laps& laps = sweeps_[now_];
        if (laps.used == laps.marks.size()) {
            laps.marks.emplace_back();
            laps.phases.emplace_back();
        }
        laps.phases[laps.used] = phase;
        laps.marks[laps.used++].set(queue);
    }
    /// Waits for everything that is under way.
    void collect_all(Timers& timers) {
        collect(sweeps_[1 - now_], timers);
        collect(sweeps_[now_], timers);
    }
    /// Which of the two sets is in use: for what else is kept per sweep.
    std::size_t now() const { return now_; }

  private:
    struct Laps {
        std::vector<Mark> marks;
        std::vector<std::string_view> phases;
        std::size_t used = 0;
    };
    static void collect(Laps& laps, Timers& timers) {
        if (laps.used == 0) return;
        laps.marks[laps.used - 1].wait();
        for (std::size_t i = 1; i < laps.used; ++i)
            if (!laps.phases[i].empty()) timers.add(laps.phases[i], laps.marks[i].seconds_since(laps.marks[i - 1]));
        laps.used = 0;
    }

    Laps sweeps_[2];
    std::size_t now_ = 0;
};

}  // namespace strata::swendsen_wang
