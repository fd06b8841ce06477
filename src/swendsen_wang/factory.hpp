// SPDX-License-Identifier: BSD-3-Clause
// The functions of Swendsen-Wang for the table of applications.
#pragma once

#include <memory>

#include "comm/communicator.hpp"
#include "comm/device_binding.hpp"
#include "strata/application.hpp"
#include "swendsen_wang/config.hpp"

namespace strata::swendsen_wang {

std::string example_job();

/// Makes the application for the CPU, or for a device if one is given; `device` is only valid during the call. Throws
/// as SwendsenWangPlan does.
std::unique_ptr<Application> make(const Communicator& comm, const Config& config, int threads,
                                  const DeviceBinding* device);

Forecast forecast(const Config& config, const RunLayout& layout, BackendKind backend);

std::vector<Oracle> oracles();

}  // namespace strata::swendsen_wang
