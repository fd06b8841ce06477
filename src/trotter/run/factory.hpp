// SPDX-License-Identifier: BSD-3-Clause
// Functions of spin dynamics for the table of applications.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "comm/device_binding.hpp"
#include "comm/node_memory.hpp"
#include "strata/application.hpp"
#include "trotter/job/config.hpp"
#include "trotter/run/trotter.hpp"
#include "trotter/state/plan.hpp"

namespace strata::trotter {

/// Seconds per amplitude on one core, beside waiting for memory, of a pass and of a light-cone pass, which applies two
/// layers.
inline constexpr double pass_computation = 2.8e-9, light_cone_computation = 4.3e-9;

/// Text of a small job.
std::string example_job();
/// Changes of the example that together have every output.
std::vector<std::string> samples();
/// Application of a job; `comm` must outlive it. `device` is null on hosts. Collective.
std::unique_ptr<Application> make(const Communicator& comm, const Config& config, int threads,
                                  const DeviceBinding* device);
Forecast forecast(const Config& config, const RunLayout& layout, BackendKind backend);
std::vector<Oracle> oracles();

/// Bits of the largest tile that the devices of all ranks hold. Collective.
int device_tile_bits(const Communicator& comm, Precision precision, const DeviceBinding& device);
/// Function that makes states of a job's precision on hosts; `comm` must outlive it and the states.
MakeState host_state_maker(const Communicator& comm, Sharing sharing = Sharing::allowed);
/// Function that makes states on devices; `comm` must outlive it and the states, `device` only the function.
MakeState device_state_maker(const Communicator& comm, const DeviceBinding& device);

}  // namespace strata::trotter
