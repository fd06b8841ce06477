// SPDX-License-Identifier: BSD-3-Clause
// Output of a run on rank 0 before its first step and after its last one.
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

/// Prints the job, the ranks and threads, the backend and the predicted memory.
void print_head(const Job& job, const Application& application, const Placement& placement, int ranks,
                const RunOptions& options);
/// Prints the devices, one line each as returned by device_lines(), with warnings and remarks.
void print_devices(const DeviceBinding& device, const std::vector<std::string>& lines);
/// "Stopped cleanly after 3 of 9 steps. Go on with: strata resume FILE", by which batch scripts know a run that is to be
/// resumed.
std::string stopped_text(std::uint64_t done, std::uint64_t all, const std::string& what, const std::string& file);
/// Prints the result table, the timers, the names of written files and how the run ended. With Verbosity::table_only the
/// table alone, and on stderr that the run was stopped.
void print_end(const RunOptions& options, const Report& report);

}  // namespace strata
