// SPDX-License-Identifier: BSD-3-Clause
// Regions for profilers: every phase of the timers (strata/timer.hpp) is a range of NVTX, which Nsight Systems shows, and
// a region of Caliper, where the build found them. Without a profiler attached a region takes some nanoseconds.
#pragma once

namespace strata::profiler {

/// `name` must remain valid until the region ends; regions end in reverse order.
void begin_region(const char* name);
void end_region(const char* name);

/// What this build has: "NVTX", "Caliper", "NVTX, Caliper" or "none".
const char* kinds();

}  // namespace strata::profiler
