// SPDX-License-Identifier: BSD-3-Clause
// Functions that the table of applications (applications.cpp) lists for density-matrix renormalizations.
#pragma once

#include <memory>

#include "comm/communicator.hpp"
#include "comm/device_binding.hpp"
#include "dmrg/job/config.hpp"
#include "strata/application.hpp"

namespace strata::dmrg {

std::string example_job();
/// Changes of the example that together have every output.
std::vector<std::string> samples();

std::unique_ptr<Application> make(const Communicator& comm, const Config& config, int threads,
                                  const DeviceBinding* device);
Forecast forecast(const Config& config, const RunLayout& layout, BackendKind backend);
/// The reason for which backend.device = auto runs a job on the CPU, as the end of a sentence; empty if a device is
/// used.
std::string stays_on_cpu(const Config& config, int ranks);
std::vector<Oracle> oracles();

}  // namespace strata::dmrg
