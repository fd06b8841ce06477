// SPDX-License-Identifier: BSD-3-Clause
// The records of the points of a scan on rank 0, their file, and the progress line. The checkpoints of a point are removed
// after its record was written to disk, so that a failure at any time loses no more work than in a single job.
#pragma once

#include <cstdint>
#include <vector>

#include "report/progress.hpp"
#include "run/output_files.hpp"
#include "run/run.hpp"
#include "scan/distribution.hpp"
#include "strata/study.hpp"
#include "study/layout.hpp"

namespace strata {

/// True if a failed point may succeed when the scan is resumed with more ranks or disk space. Its checkpoints are kept.
bool is_retried(const PointRecord& point);

/// Writes the file of a study, with the time of its end so far. Throws Error(file).
void write_file(Study& study, const RunOptions& options);

class Records {
  public:
    /// The references must outlive this object.
    Records(Study& study, const StudyLayout& layout, const RunOptions& options);

    /// Stores the record of a point that is done; ignores one that was stopped.
    void take(scan::PointOutcome finished);
    /// Updates the progress line, and writes the file if enough time has passed. A failed write is reported and
    /// repeated later.
    void attend(std::size_t under_way);
    /// Writes the file, then removes checkpoints that no point needs any more. Throws Error(file).
    void write();
    /// Ends the progress line.
    void finish() { progress_.finish(done_); }

  private:
    bool is_settled(std::uint64_t point) const;
    bool leads_to_lost_state(std::uint64_t point, const std::vector<PointCheckpoint>& found) const;
    bool is_foreign(std::uint64_t point) const;
    Outlook outlook() const;

    Study& study_;
    const StudyLayout& layout_;
    const RunOptions& options_;
    const bool writes_early_;
    const double seconds_before_, begun_;
    double next_write_ = 0;
    bool unsaved_ = false;  ///< some records are not written yet
    std::size_t done_, under_way_ = 0;
    report::Progress progress_;
};

}  // namespace strata
