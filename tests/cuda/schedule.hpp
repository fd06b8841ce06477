// SPDX-License-Identifier: BSD-3-Clause
// What a test of device code asks of the device it runs on: the emulated one has schedules, and memory that any MPI
// reads.
#pragma once

#include "comm/device_binding.hpp"

#if defined(STRATA_EMULATION)
#include <cstdlib>

#include "emulation/device.hpp"
inline void next_schedule() {
    const char* seed = std::getenv("EMULATION_SEED");
    emulation::reset(seed == nullptr ? 0 : std::strtoull(seed, nullptr, 10));
}
inline bool mpi_reads_device_memory() { return true; }
inline constexpr bool emulated = true;
#else
inline void next_schedule() {}
inline bool mpi_reads_device_memory() { return strata::mpi_claims_gpu_aware(); }
inline constexpr bool emulated = false;
#endif

/// A device that a test can use.
inline strata::DeviceBinding test_device(strata::DeviceRoute route = strata::DeviceRoute::staged, int processors = 2) {
    strata::DeviceBinding binding;
    binding.usable = true;
    binding.facts.name = "device";
    binding.facts.processors = processors;
    binding.route = route;
    return binding;
}
