// SPDX-License-Identifier: BSD-3-Clause
// What the table of applications needs of this one.
#pragma once

#include <memory>

#include "comm/communicator.hpp"
#include "comm/device_binding.hpp"
#include "lanczos/config.hpp"
#include "strata/application.hpp"

namespace strata::lanczos {

std::string example_job();

/// On `device` if that is not null (it is copied), else on the CPU. Throws as LanczosPlan does.
std::unique_ptr<Application> make(const Communicator& comm, const Config& config, int threads,
                                  const DeviceBinding* device);

Forecast forecast(const Config& config, int ranks, int threads, BackendKind backend);

std::vector<Oracle> oracles();

}  // namespace strata::lanczos
