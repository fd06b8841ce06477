// SPDX-License-Identifier: BSD-3-Clause
// What the table of applications asks of spin dynamics.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "comm/device_binding.hpp"
#include "comm/node_memory.hpp"
#include "strata/application.hpp"
#include "trotter/config.hpp"
#include "trotter/plan.hpp"
#include "trotter/trotter.hpp"

namespace strata::trotter {

std::string example_job();
std::unique_ptr<Application> make(const Communicator& comm, const Config& config, int threads,
                                  const DeviceBinding* device);
Forecast forecast(const Config& config, const RunLayout& layout, BackendKind backend);
std::vector<Oracle> oracles();

/// Bits of the largest tile that the devices of all ranks hold. Collective.
int device_tile_bits(const Communicator& comm, Precision precision, const DeviceBinding& device);
/// States of a job's precision on the host, for as long as `comm` lives.
MakeState host_state_maker(const Communicator& comm, Sharing sharing = Sharing::allowed);
/// The same on devices; the states read `device` when they are made.
MakeState device_state_maker(const Communicator& comm, const DeviceBinding& device);

}  // namespace strata::trotter
