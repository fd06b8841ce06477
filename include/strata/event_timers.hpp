// SPDX-License-Identifier: BSD-3-Clause
// Seconds of the phases of a step on a device, measured by events. The host records events without waiting; when a step
// begins it reads the events of the step before last, so that at most two steps are queued and the device does not wait
// for the host.
#pragma once

#include <string_view>
#include <vector>

#include "strata/queue.hpp"
#include "strata/timer.hpp"

namespace strata {

/// Timers of phases: an event at each end of a phase. Two sets of events are used alternately.
class EventTimers {
  public:
    /// Begins a step. Waits for the step before last and adds its times to `timers`.
    void begin(const Queue<Cuda>& queue, Timers& timers) {
        now_ = 1 - now_;
        collect(rounds_[now_], timers);
        close(queue, "");
    }
    /// Assigns the work queued since the last event to `phase`; an empty name excludes it.
    void close(const Queue<Cuda>& queue, std::string_view phase) {
        RoundEvents& round = rounds_[now_];
        if (round.used == round.events.size()) {
            round.events.emplace_back();
            round.phases.emplace_back();
        }
        round.phases[round.used] = phase;
        round.events[round.used++].set(queue);
    }
    /// Waits for both queued steps and adds their times.
    void collect_all(Timers& timers) {
        collect(rounds_[1 - now_], timers);
        collect(rounds_[now_], timers);
    }
    /// Index of the set of events in use, 0 or 1, for other data that is kept per step.
    std::size_t now() const { return now_; }

  private:
    struct RoundEvents {
        std::vector<Event> events;
        std::vector<std::string_view> phases;
        std::size_t used = 0;
    };
    static void collect(RoundEvents& round, Timers& timers) {
        if (round.used == 0) return;
        round.events[round.used - 1].wait();
        for (std::size_t i = 1; i < round.used; ++i)
            if (!round.phases[i].empty())
                timers.add(round.phases[i], round.events[i].seconds_since(round.events[i - 1]));
        round.used = 0;
    }

    RoundEvents rounds_[2];
    std::size_t now_ = 0;
};

}  // namespace strata
