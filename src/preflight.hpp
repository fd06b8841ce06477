// SPDX-License-Identifier: BSD-3-Clause
// From a job to an application that may allocate: the device is chosen, threads are set, memory is compared with what
// is free.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "job_source.hpp"
#include "run.hpp"
#include "strata/application.hpp"

namespace strata {

/// What the command line and the program's start say of a run, whatever the job.
struct Invocation {
    Verbosity verbosity = Verbosity::full;
    double start = 0;  ///< monotonic_seconds() when the program began
    std::vector<Fact> provenance;
};

struct PreparedRun {
    RunOptions options;
    std::unique_ptr<Application> application;  ///< not yet allocated
};

/// Makes the application of a job; `stem` is the path of its files without endings, empty: it writes none. Its memory
/// is compared with what is free twice: as forecast, before the application builds its tables, and as the application
/// counts it, before it allocates. Prints what will run and where. Collective; throws CollectiveError.
PreparedRun prepare(const Communicator& comm, const Job& job, const std::string& stem, const Invocation& invocation);

}  // namespace strata
