// SPDX-License-Identifier: BSD-3-Clause
// Where jobs come from: a job file, or the checkpoint of an earlier run. Rank 0 reads; all ranks then hold the same
// bytes.
#pragma once

#include <string>
#include <vector>

#include "applications.hpp"
#include "cli/job.hpp"
#include "comm/communicator.hpp"
#include "io/checkpoint_file.hpp"

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
/// The job that a checkpoint was written for, with `overrides` laid over it. Throws Error(bad_input). No communication.
Job job_of(const io::CheckpointHeader& header, const std::vector<cli::Override>& overrides);

/// Rank 0's job on all ranks; throws if any rank ends up with another one. Collective.
void share_job(const Communicator& comm, Job& job);

}  // namespace strata
