// SPDX-License-Identifier: BSD-3-Clause
// Plans that were measured to be fast on a machine. The bits of a row, those of the registers of a host and those of
// the tile of a device change the rounding of a run and its time, nothing else. A job without backend.tune has the plan
// that follows from the job alone. Measured plans are lines of a file, which rank 0 reads and replaces as a whole:
//
//     PROCESSOR, cpu avx512, double, 24 spins, 2 ranks x 1 threads = row-bits 14, top-bits 4, tile-bits 0, 0.0791 s
#pragma once

#include <string>

#include "comm/communicator.hpp"
#include "trotter/run/trotter.hpp"
#include "trotter/state/plan.hpp"

namespace strata::trotter {

/// Job and machine for which a plan is measured.
struct TuningTarget {
    const TrotterConfig& config;
    int threads;
    BackendKind backend;
    int tile_bits;        ///< bits of the largest tile that the device holds
    std::string machine;  ///< name of processor or device, and instruction set
};

/// Plans that are possible on `ranks` ranks.
std::vector<PlanOptions> possible_plans(const TuningTarget& target, int ranks);

/// Plan that backend.tune selects, the same on all ranks: the one of the file, the fastest one, which is then written
/// to the file, or the default. Throws CollectiveError(file) if the file cannot be written. Collective.
PlanOptions tuned_plan(const Communicator& comm, const TuningTarget& target, const MakeState& make);

/// backend.tune-file, or trotter-plans.txt in the user's folder for caches; empty if there is none.
std::string tuning_file(const TrotterConfig& config);

/// Name of this machine's processor.
std::string processor_name();

}  // namespace strata::trotter
