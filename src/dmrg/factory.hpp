// SPDX-License-Identifier: BSD-3-Clause
// What the table of applications (applications.cpp) asks of density-matrix renormalizations.
#pragma once

#include <memory>

#include "comm/communicator.hpp"
#include "comm/device_binding.hpp"
#include "dmrg/config.hpp"
#include "strata/application.hpp"

namespace strata::dmrg {

std::string example_job();
std::unique_ptr<Application> make(const Communicator& comm, const Config& config, int threads,
                                  const DeviceBinding* device);
Forecast forecast(const Config& config, const RunLayout& layout, BackendKind backend);
std::vector<Oracle> oracles();

}  // namespace strata::dmrg
