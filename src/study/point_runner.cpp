// SPDX-License-Identifier: BSD-3-Clause
// Execution of the points of a scan. An error of one point is stored in its record and does not end the scan.
#include "study/point_runner.hpp"

#include "comm/collectives.hpp"
#include "run/output_files.hpp"
#include "strata/error.hpp"
#include "strata/printable.hpp"
#include "study/layout.hpp"
#include "study/restore.hpp"

namespace strata {
namespace {

constexpr std::uint64_t no_point = ~std::uint64_t{0};

/// Record of a point without result.
PointRecord failed_point(const CollectiveError& error) {
    PointRecord failed;
    failed.state = PointState::failed;
    failed.exit_code = static_cast<int>(error.code());
    failed.sentence = error.what();
    return failed;
}

}  // namespace

/// A point is computed on as many ranks of the group as it can be divided into; the other ranks wait.
void PointRunner::run_points(scan::PointSource* source) {
    std::optional<scan::PointOutcome> finished;
    for (;;) {
        std::uint64_t point = group_.is_root() ? source->next(std::move(finished)).value_or(no_point) : 0;
        broadcast(group_, point);
        if (point == no_point) return;
        finished = scan::PointOutcome{point, {}};
        try {
            refuse_after_failure(point);
            const int ranks = ranks_of_point(point_of(setting_.study, point), group_.size(), setting_.machine);
            const Communicator part = group_.split(group_.rank() < ranks ? 0 : 1);
            if (group_.rank() < ranks)
                finished->record =
                    compute(part, point, setting_.begun.contains(point) ? Begin::after_checkpoint : Begin::anew);
        } catch (const CollectiveError& error) {
            finished->record = failed_point(error);
        }
        failed_.reset();
        if (finished->record.state != PointState::failed) continue;
        failed_ = point;
        failure_ = finished->record;
    }
}

/// Throws if this point starts from the point that the group has just computed, and that point failed. Collective.
void PointRunner::refuse_after_failure(std::uint64_t point) const {
    if (!setting_.study.scan.chained) return;
    collectively(group_, [&] {
        if (group_.is_root() && failed_ && setting_.study.scan.previous(point) == failed_)
            throw Error(static_cast<ExitCode>(failure_.exit_code.value()),
                        "It starts from the point before it, which has no result: " + failure_.sentence);
    });
}

/// The application of a point with its memory, without a state. Collective.
PreparedRun PointRunner::prepared(const Communicator& comm, std::uint64_t point) const {
    const Scan& scan = setting_.study.scan;
    PreparedRun run =
        prepare(comm, point_of(setting_.study, point), stem_of_point(setting_.options.stem, point), setting_.machine,
                {Verbosity::silent, setting_.options.start, setting_.options.provenance, setting_.options.batch_end});
    run.options.files = scan.next(point) ? RunFiles::point_with_state : RunFiles::point;
    run.options.stop_requested = stop_requested_;
    const MemoryPrediction needed = run.application->memory();
    collectively(comm, [&] {
        if (comm.is_root()) check_disk(run.options, needed, {setting_.machine.placement.ranks_on_node, comm.size()});
    });
    if (scan.previous(point)) dynamic_cast<Chained&>(*run.application).follow(scan.place_in_chain(point));
    run.application->allocate();
    return run;
}

PointRecord PointRunner::compute(const Communicator& comm, std::uint64_t point, Begin begin) const {
    PreparedRun own = prepared(comm, point);
    std::optional<io::StoredCheckpoint> stored;
    if (begin == Begin::after_checkpoint) {
        stored = restored(comm, point, *own.application);
        if (!stored) {  // arrays may be partly overwritten
            own.application.reset();
            own = prepared(comm, point);
        }
    }
    PointRecord record;
    if (!stored && setting_.study.scan.previous(point)) {
        if (read_forerunner(comm, point, own) == Forerunner::stopped) return record;
        own.options.start_state = StartState::given;
    }
    run(comm, *own.application, own.options, stored ? &*stored : nullptr, record);
    return record;
}

/// Reads the final state of the point before this one. A state that is lost is computed again, unless that is stopped.
/// Collective.
PointRunner::Forerunner PointRunner::read_forerunner(const Communicator& comm, std::uint64_t point,
                                                     PreparedRun& own) const {
    const std::uint64_t before = *setting_.study.scan.previous(point);
    if (read_final_state(comm, before, *own.application)) return Forerunner::read;
    own.application.reset();  // its memory is needed
    bool stopped = compute(comm, before, Begin::after_checkpoint).state == PointState::open;
    broadcast(comm, stopped);
    if (stopped) return Forerunner::stopped;
    own = prepared(comm, point);
    if (read_final_state(comm, before, *own.application)) return Forerunner::read;
    throw CollectiveError(ExitCode::file, "The final state of point " + std::to_string(before) +
                                              ", from which this one starts, cannot be read.");
}

/// Reads the state of a point after all its steps as the state of step 0. False if its checkpoint is lost, or is one of
/// an earlier step. Collective.
bool PointRunner::read_final_state(const Communicator& comm, std::uint64_t point, Application& application) const {
    const std::optional<io::StoredCheckpoint> stored = restored(comm, point, application);
    const Forecast forecast = setting_.machine.forecast(point_of(setting_.study, point), comm.size());
    if (!stored || stored->header.step != forecast.steps) return false;
    application.restored(0);
    return true;
}

/// Restores the newest good checkpoint of a point; returns nothing if there is none. Collective.
std::optional<io::StoredCheckpoint> PointRunner::restored(const Communicator& comm, std::uint64_t point,
                                                          Application& application) const {
    const Study study = point_of(setting_.study, point);
    RunOptions files;
    files.stem = stem_of_point(setting_.options.stem, point);
    const std::string path = files.checkpoint_path();
    std::vector<std::string> rejections;
    try {
        io::StoredCheckpoint stored = io::open_checkpoint(comm, path, 0, rejections);
        if (!is_of_job(stored, study)) throw CollectiveError(ExitCode::file, path + " belongs to another point.");
        restore(comm, application, study, path, stored, rejections);
        return stored;
    } catch (const CollectiveError& error) {
        if (comm.is_root()) print_error(std::string(error.what()) + " The point begins anew.");
        return {};
    }
}

}  // namespace strata
