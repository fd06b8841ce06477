// SPDX-License-Identifier: BSD-3-Clause
// Runs of scans. A group of ranks computes one point after another as a job of its own, with its own checkpoints. Rank
// 0 keeps the records of all points and writes them into the file of the scan. The checkpoints of a point are removed
// after its record was written to disk, so that a failure at any time loses no more work than in a single job.
#include "run_scan.hpp"

#include <algorithm>
#include <cstdio>
#include <deque>
#include <memory>
#include <optional>
#include <set>

#include "cli/progress.hpp"
#include "cli/scan_table.hpp"
#include "comm/collectives.hpp"
#include "comm/mailbox.hpp"
#include "io/files.hpp"
#include "io/provenance.hpp"
#include "io/scan_file.hpp"
#include "output_files.hpp"
#include "point_runner.hpp"
#include "restore.hpp"
#include "scan/definition.hpp"
#include "scan_console.hpp"
#include "scan_layout.hpp"
#include "stop_signals.hpp"
#include "strata/error.hpp"
#include "strata/printable.hpp"

namespace strata {
namespace {

/// Time between two writes of the file: a tenth of the time so far, within min_period and max_period seconds, but at
/// least min_writes times the duration of a write, which keeps the share of writing below two percent for any number of
/// points.
constexpr double min_period = 1, max_period = 30, min_writes = 50;

/// True if a failed point may succeed when the scan is resumed with more ranks or disk space. Its checkpoints are kept.
bool is_retried(const PointRecord& point) {
    return point.state == PointState::failed && point.exit_code != static_cast<int>(ExitCode::numerical);
}

/// The records of all points on rank 0, their file, and the progress line.
class Records {
  public:
    Records(ScanReport& report, const Job& job, const ScanLayout& layout, const RunOptions& options)
        : report_(report),
          job_(job),
          layout_(layout),
          options_(options),
          seconds_before_(report.seconds),
          done_(report.done()),
          progress_(options.verbosity != Verbosity::full ? cli::Progress::Form::none
                    : cli::stdout_is_terminal()          ? cli::Progress::Form::bar
                                                         : cli::Progress::Form::lines,
                    done_, report.points.size(), "points", [this] { return outlook(); }) {
        progress_.note_by(options.note);
    }

    /// Stores the record of a point that is done; ignores one that was stopped.
    void take(scan::PointOutcome finished) {
        if (finished.record.state == PointState::open) return;
        report_.points[finished.point] = std::move(finished.record);
        unsaved_ = true;
        ++done_;
    }

    /// Updates the progress line, and writes the file if enough time has passed. A failed write is reported and
    /// repeated later.
    void attend(std::size_t under_way) {
        under_way_ = under_way;
        progress_.update(done_, report_.points.size());
        const double now = monotonic_seconds();
        if (!unsaved_ || now < next_write_ || !writes_early_) return;
        try {
            write();
        } catch (const Error& error) {
            progress_.say(std::string("The points so far are not written, and will be tried again: ") + error.what());
            next_write_ = now + max_period;
        }
    }

    /// Writes the file, then removes checkpoints that no point needs any more. Throws Error(file).
    void write() {
        const double start = monotonic_seconds();
        report_.complete = done_ == report_.points.size();
        report_.seconds = seconds_before_ + start - options_.start;
        io::write_scan(options_.result_path(), report_);
        const std::vector<PointCheckpoint> found = point_checkpoints(options_.stem);
        for (const PointCheckpoint& old : found)
            if (old.point < report_.points.size() && is_settled(old.point) &&
                is_settled(report_.scan.next(old.point).value_or(old.point)) &&
                !leads_to_lost_state(old.point, found) && !is_foreign(old.point))
                io::remove_file(old.path);
        unsaved_ = false;
        const double now = monotonic_seconds();
        next_write_ =
            now + std::max(min_writes * (now - start), std::clamp(0.1 * (now - begun_), min_period, max_period));
    }

    void finish() { progress_.finish(done_); }

  private:
    /// True if a point needs neither its own checkpoint nor that of the previous point of its chain.
    bool is_settled(std::uint64_t point) const {
        return report_.points[point].state != PointState::open && !is_retried(report_.points[point]);
    }

    /// True if the next open point of a chain starts from a state that has no checkpoint: a group may be computing it
    /// again from those before it.
    bool leads_to_lost_state(std::uint64_t point, const std::vector<PointCheckpoint>& found) const {
        while (const std::optional<std::size_t> next = report_.scan.next(point)) {
            if (!is_settled(*next)) return std::ranges::count(found, point, &PointCheckpoint::point) == 0;
            point = *next;
        }
        return false;
    }

    /// True if the newest good checkpoint of a point is one of another job, whose user has named it so.
    bool is_foreign(std::uint64_t point) const {
        const std::string path = stem_of_point(options_.stem, point) + ".checkpoint.h5";
        std::vector<std::string> rejections;
        try {
            return !is_of_job(io::open_checkpoint(Communicator::alone(), path, 0, rejections),
                              job_of_point(job_, point));
        } catch (const Error&) {
            return false;  // no good one: torn by a kill
        }
    }

    Outlook outlook() const {
        const bool known = std::ranges::all_of(layout_.seconds, [](double seconds) { return seconds > 0; });
        double all = 0, done = 0;
        for (std::size_t p = 0; p < report_.points.size(); ++p) {
            const double cost = known ? layout_.seconds[p] : 1;
            all += cost;
            if (report_.points[p].state != PointState::open) done += cost;
        }
        return {done / all, std::to_string(done_) + " of " + std::to_string(report_.points.size()) + " points, " +
                                std::to_string(under_way_) + " under way"};
    }

    ScanReport& report_;
    const Job& job_;
    const ScanLayout& layout_;
    const RunOptions& options_;
    const bool writes_early_ = options_.config.seconds("checkpoint.interval") > 0;
    const double seconds_before_, begun_ = monotonic_seconds();
    double next_write_ = 0;
    bool unsaved_ = false;  ///< some records are not written yet
    std::size_t done_, under_way_ = 0;
    cli::Progress progress_;
};

constexpr std::uint64_t no_point = ~std::uint64_t{0};

/// Computes points from `source`, which is used on the root of the group, until there are no more. Collective over the
/// group.
void run_points(const Communicator& group, scan::PointSource* source, PointRunner& runner) {
    std::optional<scan::PointOutcome> finished;
    for (;;) {
        std::uint64_t point = group.is_root() ? source->next(std::move(finished)).value_or(no_point) : 0;
        broadcast(group, point);
        if (point == no_point) return;
        finished = scan::PointOutcome{point, runner.run_point(point)};
    }
}

RunOptions options_of(const Job& job, const std::string& stem, const Invocation& invocation, const ScanLayout& layout) {
    RunOptions options;
    options.config = job.config;
    options.job_text = job.text;
    options.stem = stem;
    options.verbosity = invocation.verbosity;
    options.start = invocation.start;
    options.provenance = invocation.provenance;
    options.batch_end = invocation.batch_end;
    options.recording = layout.files.recording;
    return options;
}

/// Points with checkpoints, as found by rank 0. Collective.
std::set<std::uint64_t> points_begun(const Communicator& world, const std::string& stem) {
    std::string list;
    if (world.is_root())
        for (const PointCheckpoint& old : point_checkpoints(stem)) list += std::to_string(old.point) + ",";
    broadcast(world, list);
    std::vector<std::int64_t> numbers;
    std::string error;
    if (!list.empty()) parse_integers(std::string_view(list).substr(0, list.size() - 1), numbers, error);
    return {numbers.begin(), numbers.end()};
}

/// Stops the scan if the wall limit has passed or a signal requests it. Called on rank 0 after its own points are done.
void stop_if_asked(scan::Coordinator& coordinator, const RunOptions& options) {
    const bool late = monotonic_seconds() >= wall_end(options);
    if (late || (take_requests() & request_stop) != 0) coordinator.stop();
}

/// Computes the points of group 0 and serves the requests of all other groups. Called on rank 0.
void coordinate(const Communicator& world, const Communicator& group, const ScanSetting& setting, scan::Groups groups,
                std::deque<std::uint64_t> queue, Records& records) {
    scan::Coordinator coordinator(
        world, groups, std::move(queue), [&](std::uint64_t point) { return setting.job.scan.next(point); },
        [&](scan::PointOutcome finished) { records.take(std::move(finished)); });
    const auto stop_requested = [&] {
        records.attend(coordinator.under_way());
        return coordinator.stop_requested();
    };
    PointRunner runner(group, setting, stop_requested);
    run_points(group, &coordinator, runner);
    coordinator.drain([&] {
        records.attend(coordinator.under_way());
        stop_if_asked(coordinator, setting.options);
    });
}

/// Exit code of the first point without a good result, else 0.
int code_of(const ScanReport& report) {
    for (const PointRecord& point : report.points)
        if (point.exit_code != 0) return point.exit_code;
    return 0;
}

/// Runs the open points of `report`, which is used on rank 0. Returns the exit code. Collective.
int run_open_points(const Communicator& world, const Job& job, const std::string& stem, const Invocation& invocation,
                    ScanReport& report, Claim claim) {
    const Machine machine = survey(world, job, invocation.verbosity);
    const ScanLayout layout = lay_out(world, job, machine);
    RunOptions options = options_of(job, stem, invocation, layout);
    const io::LockFile lock = claim_output(world, {}, options, claim);  // the points check the disk space themselves
    options.note = [&lock](const std::string& line) { lock.note(line); };
    const ScanSetting setting = {job, machine, options,
                                 claim == Claim::own ? points_begun(world, stem) : std::set<std::uint64_t>{}};
    std::optional<Records> records;
    collectively(world, [&] {
        if (!world.is_root()) return;
        check_scan_disk(layout, io::free_disk(options.result_path()), options.result_path());
        if (claim == Claim::fresh) remove_existing(options);
        report.version = io::program_version();
        report.ranks = world.size();
        report.threads = machine.threads;
        report.ranks_per_point = layout.groups.size;
        report.provenance = invocation.provenance;
        if (invocation.verbosity == Verbosity::full) print_scan_head(job, layout, machine, report);
        records.emplace(report, job, layout, options);
        records->write();  // from here on the scan can be resumed
    });
    const int group_number = std::min(layout.groups.of(world.rank()), layout.groups.count);
    const Communicator group = world.split(group_number);
    if (world.is_root()) {
        coordinate(world, group, setting, layout.groups, queue_of(layout, report), *records);
    } else if (group_number < layout.groups.count) {
        std::unique_ptr<scan::PointSource> source;
        if (group.is_root()) source = std::make_unique<scan::RemoteSource>(world);
        PointRunner runner(group, setting, [&] { return source->stop_requested(); });
        run_points(group, source.get(), runner);
    }
    quiet_barrier(world);
    int code = 0;
    if (world.is_root()) {
        std::string unsaved;
        records->finish();
        report.provenance.push_back({"end_utc", io::utc_now()});
        try {
            records->write();
        } catch (const Error& error) {
            unsaved = error.what();
        }
        if (invocation.verbosity != Verbosity::silent) print_scan_end(options, report);
        code = unsaved.empty() ? code_of(report) : static_cast<int>(ExitCode::file);
        if (!unsaved.empty()) print_error(unsaved);
    }
    broadcast(world, code);
    return code;
}

}  // namespace

int run_scan(const Communicator& comm, const Job& job, const std::string& stem, const Invocation& invocation) {
    ScanReport report;
    report.config = job.config;
    report.job = cli::canonical_text(job.config);
    report.job_text = job.text;
    report.scan = job.scan;
    report.points_text = scan::to_text(job.scan);
    report.points.resize(job.scan.points());
    return run_open_points(comm, job, stem, invocation, report, Claim::fresh);
}

int resume_scan(const Communicator& comm, const std::string& path, const std::vector<cli::Override>& overrides,
                const Invocation& invocation) {
    ScanReport report;
    Job job;
    collectively(comm, [&] {
        if (!comm.is_root()) return;
        report = read_scan_report(path);
        job = job_of_scan(report, overrides);
    });
    share_job(comm, job);
    bool nothing = false;
    if (comm.is_root()) {
        report.config = job.config;
        report.job = cli::canonical_text(job.config);
        for (PointRecord& point : report.points)
            if (is_retried(point)) point = {};
        for (const std::string& change : cli::changed_files(job.config)) print_error(change);
        nothing = report.done() == report.points.size();
        if (nothing)
            std::printf("Nothing to do: all %zu points are done. strata show %s has the results.\n",
                        report.points.size(), path.c_str());
    }
    broadcast(comm, nothing);
    int code = comm.is_root() ? code_of(report) : 0;
    broadcast(comm, code);
    if (nothing) return code;
    return run_open_points(comm, job, path.substr(0, path.rfind('.')), invocation, report, Claim::own);
}

}  // namespace strata
