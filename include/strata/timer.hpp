// SPDX-License-Identifier: BSD-3-Clause
// Timers of named phases; the report prints them in the order in which they were first used, and profilers show them as
// regions (strata/profiler.hpp).
#pragma once

#include <time.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "strata/profiler.hpp"

namespace strata {

/// Seconds of the monotonic clock since an arbitrary start.
inline double monotonic_seconds() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// A clock for short times: the counter of the processor, which takes a few nanoseconds to read, where the kernel keeps time
/// by it, else the nanoseconds of the monotonic clock.
class TickClock {
  public:
    static std::uint64_t now() {
#if defined(__x86_64__)
        if (counts_) return __builtin_ia32_rdtsc();
#endif
        return nanoseconds();
    }
    /// Seconds of a tick, by both clocks since the start of the process.
    static double seconds_of_tick();

  private:
    static std::uint64_t nanoseconds();
    static const bool counts_;  ///< the counter is used
};

/// Scope of a processor clock.
enum class ClockOf { process, thread };

/// Processor time in seconds of all threads of this process, or of this thread. Other programs on the machine affect it
/// less than wall time.
inline double processor_seconds(ClockOf of) {
    timespec time;
    clock_gettime(of == ClockOf::process ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// Wall seconds per phase on this rank, accumulated.
class Timers {
  public:
    struct Phase {
        std::string name;
        double seconds = 0;
        std::uint64_t calls = 0;
    };

    /// Adds the time between its construction and destruction to a phase.
    class Scope {
      public:
        Scope(Timers& timers, std::size_t phase) : timers_(timers), phase_(phase), start_(TickClock::now()) {
            timers_.current_.store(static_cast<int>(phase), std::memory_order_relaxed);
            profiler::begin_region(timers_.fixed_name(phase));
        }
        ~Scope() {
            profiler::end_region(timers_.fixed_name(phase_));
            timers_.add_ticks(phase_, TickClock::now() - start_);
            timers_.current_.store(-1, std::memory_order_relaxed);
        }
        Scope(const Scope&) = delete;
        Scope& operator=(const Scope&) = delete;

      private:
        Timers& timers_;
        std::size_t phase_;
        std::uint64_t start_;
    };

    Scope scope(std::string_view name) { return Scope(*this, index(name)); }
    /// Adds a time that was measured elsewhere, e.g. on a device.
    void add(std::string_view name, double seconds) { add(index(name), seconds); }
    void add(std::size_t phase, double seconds) {
        phases_[phase].seconds += seconds;
        ++phases_[phase].calls;
    }
    void add_ticks(std::string_view name, std::uint64_t ticks) { add_ticks(index(name), ticks); }
    void add_ticks(std::size_t phase, std::uint64_t ticks) {
        ticks_[phase] += ticks;
        ++phases_[phase].calls;
    }
    /// Adds the times of `other`, which are then set to 0; its phases stay.
    void take(Timers& other) {
        for (std::size_t i = 0; i < other.phases_.size(); ++i) {
            Phase& phase = other.phases_[i];
            const std::size_t own = index(phase.name);
            phases_[own].seconds += std::exchange(phase.seconds, 0);
            phases_[own].calls += std::exchange(phase.calls, 0);
            ticks_[own] += std::exchange(other.ticks_[i], 0);
        }
    }
    /// Name of the current phase, for a watchdog in another thread; "" between phases.
    std::string current_phase() const {
        const int phase = current_.load(std::memory_order_relaxed);
        return phase < 0 ? std::string() : fixed_name(static_cast<std::size_t>(phase));
    }
    std::vector<Phase> phases() const {
        std::vector<Phase> all = phases_;
        for (std::size_t i = 0; i < all.size(); ++i)
            all[i].seconds += TickClock::seconds_of_tick() * static_cast<double>(ticks_[i]);
        return all;
    }

  private:
    std::size_t index(std::string_view name) {
        for (std::size_t i = 0; i < phases_.size(); ++i)
            if (phases_[i].name == name) return i;
        if (phases_.size() < max_phases) name.copy(names_[phases_.size()], name_length - 1);
        phases_.push_back({std::string(name), 0, 0});
        ticks_.push_back(0);
        return phases_.size() - 1;
    }

    /// Name of a phase at an address that does not change; "" beyond the first 32 phases.
    const char* fixed_name(std::size_t phase) const { return phase < max_phases ? names_[phase] : ""; }

    static constexpr std::size_t max_phases = 32, name_length = 32;
    std::vector<Phase> phases_;         ///< their seconds without those of ticks_
    std::vector<std::uint64_t> ticks_;  ///< [phase]
    /// Copies at fixed addresses, so that another thread may read them.
    char names_[max_phases][name_length] = {};
    std::atomic<int> current_{-1};
};

}  // namespace strata
