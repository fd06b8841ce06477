// SPDX-License-Identifier: BSD-3-Clause
// Runs of scans: groups of ranks compute the points, which are assigned while the scan runs; all records are stored in
// one file.
#pragma once

#include <string>
#include <vector>

#include "cli/job.hpp"
#include "comm/communicator.hpp"
#include "preflight.hpp"

namespace strata {

/// Runs all points of `job`; the file of the scan is STEM.h5. Returns the exit code of the first point without a good
/// result, else 0. Collective; throws CollectiveError.
int run_scan(const Communicator& comm, const Job& job, const std::string& stem, const Invocation& invocation);

/// Runs the points that are open in the file of a scan, from their checkpoints if there are any, and the points that
/// failed for lack of memory or disk or because of a file. Otherwise as run_scan.
int resume_scan(const Communicator& comm, const std::string& path, const std::vector<cli::Override>& overrides,
                const Invocation& invocation);

}  // namespace strata
