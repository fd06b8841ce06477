// SPDX-License-Identifier: BSD-3-Clause
// Sources of jobs: a job file, or the checkpoint of an earlier run. Rank 0 reads the file; share_job() then distributes
// the job to all ranks.
#pragma once

#include <string>
#include <vector>

#include "applications.hpp"
#include "cli/job.hpp"
#include "comm/communicator.hpp"
#include "io/checkpoint_file.hpp"
#include "strata/scan.hpp"

namespace strata {

/// A job that all ranks hold identically.
struct Job {
    const ApplicationEntry* entry = nullptr;
    Config config;     ///< resolved keys; for a scan those of point 0
    std::string text;  ///< content of the job file
    Scan scan = {};    ///< points of the job; empty: a single point
};

/// The job of one point of a scan, as a job without [scan].
Job job_of_point(const Job& job, std::size_t point);

/// Reads and resolves a job file; all errors are thrown at once as one Error(bad_input). No communication.
Job read_job(const std::string& path, const std::vector<cli::Override>& overrides);
/// The same for the text of a job file; `name` is printed in errors.
Job read_job_from_text(const std::string& name, const std::string& text, const std::vector<cli::Override>& overrides);
/// The job of a checkpoint, changed by `overrides`. Throws Error(bad_input), or Error(file) for a damaged header. No
/// communication.
Job job_of(const io::CheckpointHeader& header, const std::vector<cli::Override>& overrides);

/// Reads the file of a scan and resolves its Config and points. Throws Error(file). No communication.
ScanReport read_scan_report(const std::string& path);
/// The job of a resumed scan. Throws Error(bad_input) for overrides other than backend keys, the stall and checkpoint
/// keys, run.wall-time and scan.ranks-per-point. No communication.
Job job_of_scan(const ScanReport& report, const std::vector<cli::Override>& overrides);

/// Broadcasts the job of rank 0. Throws CollectiveError if the resolved job differs on any rank. Collective.
void share_job(const Communicator& comm, Job& job);

}  // namespace strata
