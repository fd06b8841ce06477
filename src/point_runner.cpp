// SPDX-License-Identifier: BSD-3-Clause
// Execution of one point of a scan. An error of one point is stored in its record and does not end the scan.
#include "point_runner.hpp"

#include <cstdio>

#include "comm/collectives.hpp"
#include "output_files.hpp"
#include "restore.hpp"
#include "scan_layout.hpp"
#include "strata/error.hpp"
#include "strata/printable.hpp"

namespace strata {
namespace {

/// Record of a point without result.
PointRecord failed_point(ExitCode code, const std::string& sentence) {
    PointRecord failed;
    failed.state = PointState::failed;
    failed.exit_code = static_cast<int>(code);
    failed.sentence = sentence;
    return failed;
}

/// Record of a point that has run to its end or was stopped; an incomplete one stays open.
PointRecord record_of(const Outcome& outcome) {
    const Report& report = outcome.report;
    PointRecord record;
    record.state = state_of(report);
    record.exit_code = report.exit_code.value_or(0);
    record.sentence = report.sentence;
    record.remark = report.remark;
    record.backend = report.backend;
    record.state_hash = report.state_hash;
    record.steps = report.steps;
    record.seconds = report.seconds;
    record.quantities = report.quantities;
    record.timers = report.timers;
    record.performance = report.performance;
    record.series = outcome.series;
    return record;
}

}  // namespace

/// True if this point starts from the point that the group has just computed, and that point failed. Collective.
bool PointRunner::starts_from_failure(std::uint64_t point) const {
    bool failed = failed_ && setting_.job.scan.previous(point) == failed_;
    broadcast(group_, failed);
    return failed;
}

PointRecord PointRunner::run_point(std::uint64_t point) {
    PointRecord record;
    if (setting_.job.scan.chained && starts_from_failure(point)) {
        record = failed_point(static_cast<ExitCode>(failure_.exit_code),
                              "It starts from the point before it, which has no result: " + failure_.sentence);
    } else {
        try {
            record = computed(point);
        } catch (const CollectiveError& error) {
            record = failed_point(error.code(), error.what());
        }
    }
    failed_.reset();
    if (record.state == PointState::failed) {
        failed_ = point;
        failure_ = record;
    }
    return record;
}

/// Computes a point on as many ranks of the group as it can be divided into; the other ranks return an empty record at
/// once.
PointRecord PointRunner::computed(std::uint64_t point) const {
    const From from = setting_.begun.contains(point) ? From::checkpoint : From::start;
    const int ranks = ranks_of_point(job_of_point(setting_.job, point), group_.size(), setting_.machine);
    if (ranks == group_.size()) return computed(group_, point, from);
    const Communicator part = group_.split(group_.rank() < ranks ? 0 : 1);
    return group_.rank() < ranks ? computed(part, point, from) : PointRecord{};
}

PointRecord PointRunner::computed(const Communicator& comm, std::uint64_t point, From from, Attempt attempt) const {
    const Scan& scan = setting_.job.scan;
    const Job job = job_of_point(setting_.job, point);
    const std::string stem = stem_of_point(setting_.options.stem, point);
    const Invocation invocation = {Verbosity::silent, setting_.options.start, setting_.options.provenance,
                                   setting_.options.batch_end};
    auto [options, application] = prepare(comm, job, stem, setting_.machine, invocation);
    options.files = scan.next(point) ? RunFiles::point_with_state : RunFiles::point;
    options.stop_requested = stop_requested_;
    const MemoryPrediction needed = application->memory();
    collectively(comm, [&] {
        if (comm.is_root()) check_disk(options, needed, {setting_.machine.placement.ranks_on_node, comm.size()});
    });
    const std::optional<std::size_t> before = scan.previous(point);
    if (before) application->follow(scan.place_in_chain(point));
    application->allocate();
    std::optional<io::StoredCheckpoint> stored;
    if (from == From::checkpoint) {
        stored = restored(comm, point, *application);
        if (!stored) {  // arrays may be partly overwritten
            application.reset();
            return computed(comm, point, From::start);
        }
    } else if (before) {
        options.start_state = StartState::given;
        if (!read_final_state(comm, *before, *application)) {
            if (attempt == Attempt::second)
                throw CollectiveError(ExitCode::file, "The final state of point " + std::to_string(*before) +
                                                          ", from which this one starts, cannot be read.");
            application.reset();  // its memory is needed
            bool stopped = computed(comm, *before, From::checkpoint).state == PointState::open;
            broadcast(comm, stopped);
            return stopped ? PointRecord{} : computed(comm, point, from, Attempt::second);
        }
    }
    return record_of(run(comm, *application, options, stored ? &*stored : nullptr));
}

/// Reads the state of a point after all its steps as the state of step 0. False if its checkpoint is lost, or is one of
/// an earlier step. Collective.
bool PointRunner::read_final_state(const Communicator& comm, std::uint64_t point, Application& application) const {
    const std::optional<io::StoredCheckpoint> stored = restored(comm, point, application);
    const Forecast forecast = forecast_on(setting_.machine, job_of_point(setting_.job, point), comm.size());
    if (!stored || stored->header.step != forecast.steps) return false;
    application.restored(0);
    return true;
}

/// Restores the newest good checkpoint of a point; returns nothing if there is none. Collective.
std::optional<io::StoredCheckpoint> PointRunner::restored(const Communicator& comm, std::uint64_t point,
                                                          Application& application) const {
    const Job job = job_of_point(setting_.job, point);
    RunOptions files;
    files.stem = stem_of_point(setting_.options.stem, point);
    const std::string path = files.checkpoint_path();
    std::vector<std::string> rejections;
    try {
        io::StoredCheckpoint stored = io::open_checkpoint(comm, path, 0, rejections);
        if (!is_of_job(stored, job)) throw CollectiveError(ExitCode::file, path + " belongs to another point.");
        restore(comm, application, job, path, stored, rejections);
        return stored;
    } catch (const CollectiveError& error) {
        if (comm.is_root()) print_error(std::string(error.what()) + " The point begins anew.");
        return {};
    }
}

}  // namespace strata
