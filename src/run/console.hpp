// SPDX-License-Identifier: BSD-3-Clause
// Output of a study on rank 0 before its first step and after its last one.
#pragma once

#include <string>
#include <vector>

#include "comm/device_binding.hpp"
#include "comm/placement.hpp"
#include "run/run.hpp"
#include "strata/formatted.hpp"
#include "strata/memory.hpp"
#include "strata/study.hpp"

namespace strata {

/// The scanned keys, e.g. "200 points: model.u (20) x run.seed (10)".
std::string points_text(const Scan& scan);

/// What the head says of a run besides its ranks.
struct Head {
    std::vector<std::string> description;  ///< lines: the system, or the points of a scan
    std::string division;                  ///< backend, or groups of ranks
    MemoryPrediction memory;
    std::string largest = {};    ///< point with the largest memory
    std::string kept;            ///< "8 MiB for the series"
    std::string no_device = {};  ///< why a job that permits devices has none
    std::string resumed = {};    ///< what is done already
};

/// Prints the application, its description, the ranks and threads, and the predicted memory.
void print_head(const std::string& application, const Placement& placement, int ranks, int threads, const Head& head);
/// Prints the devices, one line each as returned by device_lines(), with warnings and remarks.
void print_devices(const DeviceBinding& device, const std::vector<std::string>& lines);
/// Prints the result table, of one point the timers and the hash, the names of written files and how the run ended. With
/// Verbosity::table_only the table alone, and on stderr that the run was stopped.
void print_end(const RunOptions& options, const Study& study);

}  // namespace strata
