// SPDX-License-Identifier: BSD-3-Clause
// From a job file or a checkpoint to a run: read on rank 0, agreed by all ranks, checked against the machine.
#pragma once

#include <string>
#include <vector>

#include "applications.hpp"
#include "cli/job.hpp"
#include "comm/communicator.hpp"
#include "comm/placement.hpp"
#include "run.hpp"

namespace strata {

/// A job that all ranks hold identically.
struct Job {
    const ApplicationEntry* entry = nullptr;
    Config config;
    std::string text;  ///< of the job file
};

/// Reads and resolves a job file; all its errors are thrown at once as one Error(bad_input). No communication.
Job read_job(const std::string& path, const std::vector<cli::Override>& overrides);
/// The same for the text of a job file.
Job read_job_from_text(const std::string& name, const std::string& text, const std::vector<cli::Override>& overrides);

/// Rank 0's job on all ranks; throws if any rank ends up with another one. Collective.
void share_job(const Communicator& comm, Job& job);

/// Makes the application of a job. Its memory is compared with what is free twice: as forecast, before the application
/// builds its tables, and as the application counts it, before it allocates. Prints what will run and where.
/// Collective; throws CollectiveError.
std::unique_ptr<Application> prepare(const Communicator& comm, const Job& job, RunOptions& options);

/// `strata run` and `strata resume`.
int run_job(const Communicator& comm, const std::string& path, const std::vector<cli::Override>& overrides,
            RunOptions options);
int resume_job(const Communicator& comm, const std::string& path, const std::vector<cli::Override>& overrides,
               RunOptions options);

}  // namespace strata
