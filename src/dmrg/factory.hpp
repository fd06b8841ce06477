// SPDX-License-Identifier: BSD-3-Clause
// What the table of applications (applications.cpp) asks of density-matrix renormalizations.
#pragma once

#include <memory>

#include "comm/communicator.hpp"
#include "comm/device_binding.hpp"
#include "dmrg/config.hpp"
#include "dmrg/superblock_solver.hpp"
#include "strata/application.hpp"

namespace strata::dmrg {

std::string example_job();
/// Superblocks on the CPU; on a device those whose products have `min_flops` operations or more.
MakeOperator host_operators(const DmrgConfig& config);
MakeOperator device_operators(const DmrgConfig& config, const DeviceBinding& device, double min_flops);

std::unique_ptr<Application> make(const Communicator& comm, const Config& config, int threads,
                                  const DeviceBinding* device);
Forecast forecast(const Config& config, const RunLayout& layout, BackendKind backend);
/// Why backend.device = auto leaves a job to the CPU, as the end of a sentence; empty if it does not.
std::string stays_on_cpu(const Config& config, int ranks);
std::vector<Oracle> oracles();

}  // namespace strata::dmrg
