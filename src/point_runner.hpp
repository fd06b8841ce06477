// SPDX-License-Identifier: BSD-3-Clause
// Execution of one point of a scan by a group of ranks, as the job that the point would be alone. If points start from
// each other (scan.start = previous), a point that has finished its steps writes its state as a checkpoint, which the
// next point reads:
//
//    point 0: initialise, steps, checkpoint -> point 1: read, steps, checkpoint -> point 2 ...
//
// A killed scan therefore resumes within any of its points. A state that is lost is computed again.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>

#include "comm/communicator.hpp"
#include "job_source.hpp"
#include "preflight.hpp"
#include "run.hpp"
#include "strata/scan.hpp"

namespace strata {

/// Data shared by all points of a scan, on all ranks.
struct ScanSetting {
    const Job& job;
    const Machine& machine;
    const RunOptions& options;
    const std::set<std::uint64_t> begun;  ///< points that had checkpoints when this run began
};

class PointRunner {
  public:
    /// The references must outlive this object. `stop_requested` is called on the root of the group after every step.
    PointRunner(const Communicator& group, const ScanSetting& setting, std::function<bool()> stop_requested)
        : group_(group), setting_(setting), stop_requested_(std::move(stop_requested)) {}

    /// Computes a point. The record is complete on the root of the group; the record of a stopped point has the state
    /// `open`. Collective over the group.
    PointRecord run_point(std::uint64_t point);

  private:
    enum class From { start, checkpoint };
    enum class Attempt { first, second };

    bool starts_from_failure(std::uint64_t point) const;
    PointRecord computed(std::uint64_t point) const;
    PointRecord computed(const Communicator& comm, std::uint64_t point, From from,
                         Attempt attempt = Attempt::first) const;
    bool read_final_state(const Communicator& comm, std::uint64_t point, Application& application) const;
    std::optional<io::StoredCheckpoint> restored(const Communicator& comm, std::uint64_t point,
                                                 Application& application) const;

    const Communicator& group_;
    const ScanSetting& setting_;
    const std::function<bool()> stop_requested_;
    std::optional<std::uint64_t> failed_;  ///< the last point, if it failed; on the root of the group
    PointRecord failure_;                  ///< record of the failed point
};

}  // namespace strata
