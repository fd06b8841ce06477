// SPDX-License-Identifier: BSD-3-Clause
// Execution of the points of a scan. An error of one point is stored in its record and does not end the scan.
#include "study/point_runner.hpp"

#include <algorithm>

#include "comm/collectives.hpp"
#include "run/output_files.hpp"
#include "strata/error.hpp"
#include "strata/printable.hpp"
#include "study/layout.hpp"
#include "study/restore.hpp"

namespace strata {
namespace {

/// Record of a point without result.
PointRecord failed_point(const CollectiveError& error) {
    PointRecord failed;
    failed.state = PointState::failed;
    failed.exit_code = static_cast<int>(error.code());
    failed.sentence = error.what();
    return failed;
}

}  // namespace

void PointRunner::run_points(scan::PointSource* source) {
    std::vector<scan::PointOutcome> finished;
    for (;;) {
        std::vector<std::uint64_t> points;
        if (group_.is_root()) points = source->next(std::move(finished));
        std::size_t count = points.size();
        broadcast(group_, count);
        if (count == 0) return;
        points.resize(count);
        broadcast_bytes(group_, points.data(), std::span(points).size_bytes(), 0);
        std::vector<PointRecord> records =
            count > 1 ? compute_together(points) : std::vector{compute_alone(points.front())};
        finished.clear();
        for (std::size_t i = 0; i < count; ++i) finished.push_back({points[i], std::move(records[i])});
    }
}

/// A point is computed on as many ranks of the group as it can be divided into; the other ranks wait.
PointRecord PointRunner::compute_alone(std::uint64_t point) {
    PointRecord record;
    try {
        refuse_after_failure(point);
        const int ranks = ranks_of_point(point_of(setting_.study, point), group_.size(), setting_.machine);
        const Communicator part = group_.split(group_.rank() < ranks ? 0 : 1);
        if (group_.rank() < ranks)
            record = compute(part, point, setting_.begun.contains(point) ? Begin::after_checkpoint : Begin::anew);
    } catch (const CollectiveError& error) {
        record = failed_point(error);
    }
    failed_.reset();
    if (record.state == PointState::failed) {
        failed_ = point;
        failure_ = record;
    }
    return record;
}

/// Points of which one fails are computed again, each alone, so that it fails alone and for its own reason. After a stop
/// the others stay open.
std::vector<PointRecord> PointRunner::compute_together(std::span<const std::uint64_t> points) {
    try {
        return compute_batch(points);
    } catch (const CollectiveError&) {
        std::vector<PointRecord> records(points.size());
        for (std::size_t i = 0; i < points.size() && (i == 0 || records[i - 1].state != PointState::open); ++i)
            records[i] = compute_alone(points[i]);
        return records;
    }
}

std::vector<PointRecord> PointRunner::compute_batch(std::span<const std::uint64_t> points) const {
    std::vector<Config> configs;
    std::vector<RunOptions> options;
    const MemoryPrediction needed = setting_.machine.forecast(point_of(setting_.study, points.front()), 1).memory;
    for (const std::uint64_t p : points) {
        const Study point = point_of(setting_.study, p);
        configs.push_back(point.config);
        options.push_back(options_of(point, p));
    }
    std::unique_ptr<Batch> batch;
    collectively(group_, [&] {
        check_disk(options.front(), needed, {setting_.machine.placement.ranks_on_node, 1});
        batch = setting_.study.entry->together.make(group_, configs);
    });
    std::vector<std::optional<io::StoredCheckpoint>> stored(points.size());
    std::vector<std::uint64_t> steps(points.size());
    for (std::size_t i = 0; i < points.size(); ++i) {
        options[i].recording = needed.recording;
        options[i].recording.columns = batch->systems()[i]->columns().size();
        if (setting_.begun.contains(points[i])) stored[i] = restored(group_, points[i], *batch->systems()[i]);
        if (stored[i]) steps[i] = stored[i]->header.step;
    }
    if (std::ranges::count(steps, steps.front()) != std::ssize(steps)) return compute_by_step(points, steps);
    std::vector<PointRecord> records(points.size());
    std::vector<RunMember> members;
    for (std::size_t i = 0; i < points.size(); ++i)
        members.push_back({*batch->systems()[i], options[i], stored[i] ? &*stored[i] : nullptr, records[i]});
    run_together(group_, *batch, members);
    return records;
}

/// Points that have made different numbers of steps, in batches of those that have made the same. After a stop the others
/// keep their checkpoints.
std::vector<PointRecord> PointRunner::compute_by_step(std::span<const std::uint64_t> points,
                                                      std::span<const std::uint64_t> steps) const {
    std::vector<PointRecord> records(points.size());
    bool stopped = false;
    for (const std::uint64_t step : std::set(steps.begin(), steps.end())) {
        std::vector<std::uint64_t> some;
        for (std::size_t i = 0; i < points.size(); ++i)
            if (steps[i] == step) some.push_back(points[i]);
        if (stopped) break;
        std::vector<PointRecord> of_some = compute_batch(some);
        stopped = of_some.front().state == PointState::open;
        for (std::size_t i = 0, next = 0; i < points.size(); ++i)
            if (steps[i] == step) records[i] = std::move(of_some[next++]);
    }
    return records;
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

/// Settings of one point of several that are computed together.
RunOptions PointRunner::options_of(const Study& point, std::uint64_t number) const {
    RunOptions options = {point.config,
                          point.text,
                          stem_of_point(setting_.options.stem, number),
                          1,
                          Verbosity::silent,
                          setting_.options.start,
                          setting_.options.provenance};
    options.batch_end = setting_.options.batch_end;
    options.files = RunFiles::point;
    options.stop_requested = stop_requested_;
    return options;
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
