// SPDX-License-Identifier: BSD-3-Clause
// Sources of studies: a job file, the checkpoint of one point, or the file of a scan. Rank 0 reads the file;
// share_study() then distributes the job to all ranks.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/job.hpp"
#include "comm/communicator.hpp"
#include "io/checkpoint_file.hpp"
#include "run/output_files.hpp"
#include "strata/study.hpp"
#include "study/registry.hpp"

namespace strata {

/// The checkpoint that a study of one point is resumed from.
struct Checkpoint {
    std::string path;  ///< of the newest one; `stored` may be an older one
    io::StoredCheckpoint stored;
    std::vector<std::string> rejections;  ///< reasons against newer checkpoints, on rank 0
};

/// What a run begins from. The job is the same on all ranks; records that a resumed scan has are on rank 0.
struct Source {
    Study study;
    std::string stem;  ///< path of the files without extensions
    Claim claim = Claim::fresh;
    std::optional<Checkpoint> checkpoint = {};
    bool measured = false;  ///< the state of the checkpoint is not continued, but measured
};

/// A job file. Collective; throws CollectiveError.
Source open_job(const Communicator& comm, const std::string& path, const std::vector<cli::Override>& overrides);
/// A checkpoint, or the file of a scan, with changed keys: of a scan those of backend, stall and checkpoints,
/// run.wall-time and scan.ranks-per-point, of one point also those of length and output. Collective; throws
/// CollectiveError.
Source open_resumed(const Communicator& comm, const std::string& operand, const std::vector<cli::Override>& overrides);

/// A checkpoint whose final state a new run measures, with changed keys of measurement, output and backend, and those that
/// did not apply to the run that wrote it. The files are those of NAME-measured beside it, or as output keys say.
/// Collective; throws CollectiveError.
Source open_measured(const Communicator& comm, const std::string& operand, const std::vector<cli::Override>& overrides);

/// One point of a study, as a study of its own without records.
Study point_of(const Study& study, std::size_t point);

/// Reads and resolves a job file; all errors are thrown at once as one Error(bad_input). No communication.
Study read_job(const std::string& path, const std::vector<cli::Override>& overrides);
/// The same for the text of a job file; `name` is printed in errors.
Study read_job_from_text(const std::string& name, const std::string& text, const std::vector<cli::Override>& overrides);
/// Reads a result file; of a scan the Config and the points are resolved. Throws Error(file). No communication.
Study read_result(const std::string& path);

/// Broadcasts the job of rank 0, without records. Throws CollectiveError if the resolved job differs on any rank.
/// Collective.
void share_study(const Communicator& comm, Study& study);

}  // namespace strata
