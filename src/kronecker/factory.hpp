// SPDX-License-Identifier: BSD-3-Clause
// What the table of applications (applications.cpp) asks of Kronecker jobs, and the choice of task and backend.
#pragma once

#include <memory>

#include "comm/communicator.hpp"
#include "comm/device_binding.hpp"
#include "kronecker/config.hpp"
#include "kronecker/target_operator.hpp"
#include "strata/application.hpp"

namespace strata::kronecker {

std::string example_job();
std::unique_ptr<Application> make(const Communicator& comm, const Config& config, int threads,
                                  const DeviceBinding* device);
Forecast forecast(const Config& config, const RunLayout& layout, BackendKind backend);
std::vector<Oracle> oracles();

/// Why backend.device = auto leaves a job to the CPU, as the end of a sentence; empty where a device is of use.
std::string stays_on_cpu(const Config& config, int ranks);

/// Operators on devices, for as long as `comm` lives; `device` is copied.
MakeOperator device_operator_maker(const Communicator& comm, const KroneckerConfig& config,
                                   const DeviceBinding& device);

/// Operators on the host, for as long as `comm` lives.
MakeOperator host_operator_maker(const Communicator& comm, krylov::Precision precision, const HostOptions& options);

}  // namespace strata::kronecker
