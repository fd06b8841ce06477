// SPDX-License-Identifier: BSD-3-Clause
// Entries of this application in the table of applications (applications.cpp): an example job, forecasts, known
// answers, and the choice of task and backend.
#pragma once

#include <memory>

#include "comm/communicator.hpp"
#include "comm/device_binding.hpp"
#include "lanczos/job/config.hpp"
#include "lanczos/state/hamiltonian_operator.hpp"
#include "strata/application.hpp"

namespace strata::lanczos {

/// Seconds per real number of the vector and hop of its row on one core, beside waiting for memory: ring of 14.
inline constexpr double hop_computation = 0.237e-9;

std::string example_job();
/// Changes of the example that together have every output.
std::vector<std::string> samples();

/// Returns a function that makes operators on the CPU, or on a device if one is given; `device` is copied, and `comm`
/// must outlive the operators.
MakeHamiltonian hamiltonian_maker(const Communicator& comm, const DeviceBinding* device);

/// Makes the application for the CPU, or for a device if one is given; `device` need only be valid during the call.
/// Throws as LanczosPlan does.
std::unique_ptr<Application> make(const Communicator& comm, const Config& config, int threads,
                                  const DeviceBinding* device);

Forecast forecast(const Config& config, const RunLayout& layout, BackendKind backend);

std::vector<Oracle> oracles();

}  // namespace strata::lanczos
