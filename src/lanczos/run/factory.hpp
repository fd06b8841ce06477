// SPDX-License-Identifier: BSD-3-Clause
// The row of Lanczos in the table of applications, and the choice of the backend of an operator.
#pragma once

#include "comm/communicator.hpp"
#include "comm/device_binding.hpp"
#include "lanczos/state/hamiltonian_operator.hpp"
#include "strata/application_entry.hpp"

namespace strata::lanczos {

/// The row of this application in the table of applications (applications.cpp).
ApplicationEntry entry();

/// Returns a function that makes operators on the CPU, or on a device if one is given; `device` is copied, and `comm`
/// must outlive the operators.
MakeHamiltonian hamiltonian_maker(const Communicator& comm, const DeviceBinding* device);

}  // namespace strata::lanczos
