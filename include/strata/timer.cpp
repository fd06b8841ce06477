// SPDX-License-Identifier: BSD-3-Clause
// The rate of the counter follows from both clocks at the start of the process and now, so that nothing is calibrated.
#include "strata/timer.hpp"

#include <fstream>

namespace strata {
namespace {

/// Whether the kernel keeps time by the counter that TickClock reads: then it runs at one rate on all cores.
bool kernel_counts() {
    std::string source;
    std::ifstream("/sys/devices/system/clocksource/clocksource0/current_clocksource") >> source;
    return source == "tsc";
}

/// Both clocks at the start of the process.
struct Start {
    std::uint64_t ticks = TickClock::now();
    double seconds = monotonic_seconds();
};

}  // namespace

const bool TickClock::counts_ = kernel_counts();
static const Start process_start;  // after the counter is chosen

std::uint64_t TickClock::nanoseconds() { return static_cast<std::uint64_t>(1e9 * monotonic_seconds()); }

double TickClock::seconds_of_tick() {
    const double ticks = static_cast<double>(now() - process_start.ticks);
    return ticks > 0 ? (monotonic_seconds() - process_start.seconds) / ticks : 0;
}

}  // namespace strata
