// SPDX-License-Identifier: BSD-3-Clause
// The row of spin dynamics in the table of applications, and the choice of the backend of a state.
#pragma once

#include "comm/communicator.hpp"
#include "comm/device_binding.hpp"
#include "comm/node_memory.hpp"
#include "strata/application_entry.hpp"
#include "trotter/run/trotter.hpp"
#include "trotter/state/plan.hpp"

namespace strata::trotter {

/// Seconds per amplitude on one core, beside waiting for memory, of a pass and of a light-cone pass, which applies two
/// layers.
inline constexpr double pass_computation = 2.8e-9, light_cone_computation = 4.3e-9;

/// The row of this application in the table of applications (applications.cpp).
ApplicationEntry entry();

/// Bits of the largest tile that the devices of all ranks hold. Collective.
int device_tile_bits(const Communicator& comm, Precision precision, const DeviceBinding& device);
/// Function that makes states of a job's precision on hosts; `comm` must outlive it and the states.
MakeState host_state_maker(const Communicator& comm, Sharing sharing = Sharing::allowed);
/// Function that makes states on devices; `comm` must outlive it and the states, `device` only the function.
MakeState device_state_maker(const Communicator& comm, const DeviceBinding& device);

}  // namespace strata::trotter
