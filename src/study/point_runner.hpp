// SPDX-License-Identifier: BSD-3-Clause
// Execution of the points of a scan by a group of ranks, each as the job that the point would be alone. Points that an
// application computes together (Batch) have records and checkpoints of their own, so that any of them can be resumed
// with others or alone. If points start
// from each other (scan.start = previous), a point that has finished its steps writes its state as a checkpoint, which
// the next point reads:
//
//    point 0: initialise, steps, checkpoint -> point 1: read, steps, checkpoint -> point 2 ...
//
// A killed scan therefore resumes within any of its points. A state that is lost is computed again.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "comm/communicator.hpp"
#include "run/preflight.hpp"
#include "run/run.hpp"
#include "scan/distribution.hpp"
#include "strata/study.hpp"

namespace strata {

/// Data shared by all points of a scan, on all ranks.
struct ScanSetting {
    const Study& study;
    const Machine& machine;
    const RunOptions& options;
    const std::set<std::uint64_t> begun;  ///< points that had checkpoints when this run began
};

class PointRunner {
  public:
    /// The references must outlive this object. `stop_requested` is called on the root of the group after every step.
    PointRunner(const Communicator& group, const ScanSetting& setting, std::function<bool()> stop_requested)
        : group_(group), setting_(setting), stop_requested_(std::move(stop_requested)) {}

    /// Computes points from `source`, which is used on the root of the group, until there are no more. The record of a
    /// stopped point has the state `open`. Collective over the group.
    void run_points(scan::PointSource* source);

  private:
    /// Where the steps of a point begin: at its own first one, or after its newest good checkpoint, if there is one.
    enum class Begin { anew, after_checkpoint };

    PointRecord compute_alone(std::uint64_t point);
    std::vector<PointRecord> compute_together(std::span<const std::uint64_t> points);
    std::vector<PointRecord> compute_batch(std::span<const std::uint64_t> points) const;
    std::vector<PointRecord> compute_by_step(std::span<const std::uint64_t> points,
                                             std::span<const std::uint64_t> steps) const;
    void refuse_after_failure(std::uint64_t point) const;
    RunOptions options_of(const Study& point, std::uint64_t number) const;
    PreparedRun prepared(const Communicator& comm, std::uint64_t point) const;
    PointRecord compute(const Communicator& comm, std::uint64_t point, Begin begin) const;
    enum class Forerunner { read, stopped };
    Forerunner read_forerunner(const Communicator& comm, std::uint64_t point, PreparedRun& run) const;
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
