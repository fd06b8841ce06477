// SPDX-License-Identifier: BSD-3-Clause
// Functions of Swendsen-Wang for the table of applications.
#pragma once

#include <memory>

#include "comm/communicator.hpp"
#include "comm/device_binding.hpp"
#include "strata/application.hpp"
#include "swendsen_wang/job/config.hpp"

namespace strata::swendsen_wang {

/// A short job file.
std::string example_job();
/// Changes of the example that together have every output.
std::vector<std::string> samples();

/// Makes the application for the CPU, or for a device if one is given; `device` is valid only during the call. Throws
/// the errors of SwendsenWangPlan.
std::unique_ptr<Application> make(const Communicator& comm, const Config& config, int threads,
                                  const DeviceBinding* device);

/// Predicted needs of the largest rank, for ranks that need not exist.
Forecast forecast(const Config& config, const RunLayout& layout, BackendKind backend);

/// Jobs with exactly known energies, moments and specific heats.
std::vector<Oracle> oracles();

}  // namespace strata::swendsen_wang
