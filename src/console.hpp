// SPDX-License-Identifier: BSD-3-Clause
// What a run prints on rank 0 before its first step and after its last one.
#pragma once

#include <string>
#include <vector>

#include "comm/device_binding.hpp"
#include "comm/placement.hpp"
#include "job_source.hpp"
#include "run.hpp"
#include "strata/application.hpp"
#include "strata/report.hpp"

namespace strata {

/// "1 rank", "2 ranks".
std::string counted(int count, const std::string& singular);

/// What will run, and where.
void print_head(const Job& job, const Application& application, const Placement& placement, int ranks,
                const RunOptions& options);
/// The devices, a line each as device_lines() makes them, and what a user should know of them.
void print_devices(const DeviceBinding& device, const std::vector<std::string>& lines);
/// The result table, the timers, the files written, and how the run ended.
void print_end(const RunOptions& options, const Report& report);

}  // namespace strata
