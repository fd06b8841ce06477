// SPDX-License-Identifier: BSD-3-Clause
// The run loop: initialise, step, observe, checkpoint by time, before the wall limit and on a signal, report.
#pragma once

#include <functional>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "io/checkpoint_file.hpp"
#include "strata/application.hpp"
#include "strata/config.hpp"
#include "strata/study.hpp"

namespace strata {

enum class Verbosity { full, table_only, silent };

/// Files that a run leaves when all its steps are done. job: the result and the last checkpoint. point: none, because
/// the record of a point is stored in the file of the scan. point_with_state: the checkpoint from which the next point
/// starts. All write checkpoints while they run.
enum class RunFiles { job, point, point_with_state };

/// Origin of the state of the first step: initialise(), an earlier run whose state is in state() already, or the final
/// state of another run, which is measured.
enum class StartState { initial, given, measured };

/// Settings of a run besides its application.
struct RunOptions {
    Config config;
    std::string job_text;
    std::string stem;  ///< path of the files without extensions; empty: no file is written
    int threads = 1;
    Verbosity verbosity = Verbosity::full;
    double start = 0;  ///< monotonic_seconds() at program start
    std::vector<Fact> provenance;
    Recording recording = {};  ///< predicted size of the series; no rows: unknown
    RunFiles files = RunFiles::job;
    StartState start_state = StartState::initial;
    /// monotonic_seconds() at which the batch system ends the job
    double batch_end = std::numeric_limits<double>::infinity();
    std::function<bool()> stop_requested = {};  ///< called on rank 0 after every step; true: stop with a checkpoint

    std::function<void(const std::string&)> note = {};  ///< called on rank 0 once a second with the line of progress
    /// Called on rank 0 after a checkpoint that is not the last one, with the record so far; on all ranks, or none.
    std::function<void()> keep_record = {};

    std::string result_path() const { return stem + ".h5"; }
    std::string checkpoint_path() const { return stem + ".checkpoint.h5"; }
};

/// monotonic_seconds() at which the batch system (Slurm, from 23.02 on) ends the job, by its variable
/// SLURM_JOB_END_TIME; infinity if there is none.
double batch_end();

/// monotonic_seconds() at which a run must have left: run.wall-time after the start of the program, or the end of the
/// batch job.
double wall_end(const RunOptions& options);

/// Runs to the end or to a clean stop. `stored`, if not null, is the checkpoint that was restored, whose series is
/// moved into this run. The application must be allocated, and restored if it resumes. `record` is complete on rank 0.
/// Collective.
void run(const Communicator& comm, Application& application, const RunOptions& options, io::StoredCheckpoint* stored,
         PointRecord& record);

/// A system that is run, the checkpoint that was restored, or null, and its record.
struct RunMember {
    Application& application;
    const RunOptions& options;
    io::StoredCheckpoint* stored;
    PointRecord& record;
};

/// The same for all systems of a batch, which were restored after the same step, or none of them. Each writes its own
/// checkpoints. Settings of the run itself are those of the first member.
void run_together(const Communicator& comm, Batch& batch, std::span<const RunMember> members);

}  // namespace strata
