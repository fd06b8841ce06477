// SPDX-License-Identifier: BSD-3-Clause
// `strata run` and `strata resume`: the files of a run are claimed, the application runs, the outcome is reported.
#pragma once

#include <string>
#include <vector>

#include "cli/job.hpp"
#include "comm/communicator.hpp"
#include "preflight.hpp"

namespace strata {

/// Both return the exit code, and throw CollectiveError. Collective.
int run_job(const Communicator& comm, const std::string& path, const std::vector<cli::Override>& overrides,
            const Invocation& invocation);
int resume_job(const Communicator& comm, const std::string& path, const std::vector<cli::Override>& overrides,
               const Invocation& invocation);

}  // namespace strata
