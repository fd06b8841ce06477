// SPDX-License-Identifier: BSD-3-Clause
// The verbs `strata run` and `strata resume`: lock the files of the run, run the application, report the outcome.
#pragma once

#include <string>
#include <vector>

#include "cli/job.hpp"
#include "comm/communicator.hpp"
#include "preflight.hpp"

namespace strata {

/// Run a job file; resume a checkpoint or a scan. Both return the exit code and throw CollectiveError. Collective.
int run_job(const Communicator& comm, const std::string& path, const std::vector<cli::Override>& overrides,
            const Invocation& invocation);
int resume_job(const Communicator& comm, const std::string& path, const std::vector<cli::Override>& overrides,
               const Invocation& invocation);

}  // namespace strata
