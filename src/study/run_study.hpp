// SPDX-License-Identifier: BSD-3-Clause
// Runs a study: locks its files, computes its points, writes its file and reports the outcome. A single point runs on
// all ranks; the points of a scan are assigned to groups of ranks while the scan runs.
#pragma once

#include "comm/communicator.hpp"
#include "run/preflight.hpp"
#include "study/study_source.hpp"

namespace strata {

/// Runs what is open: all steps of a job, the steps after its checkpoint, or the points that are open in the file of a
/// scan, from their checkpoints if there are any, and those that failed for lack of memory or disk or because of a
/// file. Returns the exit code of the first point without a good result, else 0. Collective; throws CollectiveError.
int run_study(const Communicator& world, Source& source, const Invocation& invocation);

}  // namespace strata
