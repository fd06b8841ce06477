// SPDX-License-Identifier: BSD-3-Clause
// Runs of studies. Files of an earlier run are removed only after the new run has its memory, its lock and its state. A
// group of ranks computes the points of a scan one after another, each with its own checkpoints, and rank 0 keeps the
// records.
#include "study/run_study.hpp"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <set>

#include "cli/applicability.hpp"
#include "comm/collectives.hpp"
#include "comm/mailbox.hpp"
#include "io/files.hpp"
#include "io/provenance.hpp"
#include "io/study_file.hpp"
#include "run/console.hpp"
#include "run/stop_signals.hpp"
#include "scan/definition.hpp"
#include "strata/error.hpp"
#include "strata/failure.hpp"
#include "strata/printable.hpp"
#include "study/point_runner.hpp"
#include "study/records.hpp"
#include "study/restore.hpp"

namespace strata {
namespace {

/// True if the result file belongs to the restored state. A damaged result is reported on stderr and counts as missing.
/// Called on rank 0.
bool has_result(const RunOptions& options, const io::StoredCheckpoint& stored) {
    try {
        const PointRecord record = io::read_study(options.result_path()).records.front();
        return record.state != PointState::open && record.steps == stored.header.step &&
               record.state_hash == stored.header.state_hash;
    } catch (const Error& error) {
        print_error(std::string(error.what()) + " It is written again.");
        return false;
    }
}

/// The keys on which the number of steps of this job depends, as options.
std::string length_options(const Config& config) {
    std::vector<std::string> options;
    for (const Config::Value& value : config.values())
        if (value.key.role == KeyRole::length && value.key.name != "run.wall-time" && cli::applies(config, value.key))
            options.push_back("--" + value.key.name);
    return cli::joined(options);
}

/// True if all steps are done and their result is written, which is then printed; throws if the checkpoint has more
/// steps than requested. Called after the state was restored, because some applications do not know their number of
/// steps before. Collective.
bool nothing_to_do(const Communicator& comm, const Application& application, const io::StoredCheckpoint& stored,
                   const RunOptions& options) {
    const std::uint64_t total = application.total_steps(), made = stored.header.step;
    if (total < made)
        throw CollectiveError(ExitCode::bad_input,
                              stored.path + " has " + std::to_string(made) + " " + application.step_name() +
                                  " already" +
                                  (options.config.has("run.thermalization") ? ", with run.thermalization" : "") +
                                  ", more than the " + std::to_string(total) + " asked for.");
    bool nothing = comm.is_root() && total == made && has_result(options, stored);
    broadcast(comm, nothing);
    if (nothing && comm.is_root())
        std::printf(
            "Nothing to do: all %llu steps are made. strata show %s has the results; its length may change by %s.\n",
            static_cast<unsigned long long>(made), options.result_path().c_str(),
            length_options(options.config).c_str());
    return nothing;
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

/// One run of a study on all ranks.
class StudyRun {
  public:
    StudyRun(const Communicator& world, Source& source, const Invocation& invocation)
        : world_(world),
          source_(source),
          study_(source.study),
          invocation_(invocation),
          machine_(survey(world, source.study, invocation.verbosity)) {
        study_.version = io::program_version();
        study_.ranks = world.size();
        study_.threads = machine_.threads;
        study_.provenance = invocation.provenance;
    }

    int compute_point();
    int compute_points();

  private:
    void set_options_of_scan(const StudyLayout& layout);
    void begin_scan(const StudyLayout& layout, std::optional<Records>& records);
    int finish(const std::function<void()>& write);
    int verdict(const std::string& unsaved) const;

    const Communicator& world_;
    Source& source_;
    Study& study_;
    const Invocation& invocation_;
    const Machine machine_;
    RunOptions options_;
    io::LockFile lock_;
};

/// Computes the only point, on all ranks.
int StudyRun::compute_point() {
    PreparedRun prepared = prepare(world_, study_, source_.stem, machine_, invocation_);
    Application& application = *prepared.application;
    options_ = std::move(prepared.options);
    lock_ = claim_output(world_, application.memory(), options_, source_.claim);
    options_.note = [this](const std::string& line) { lock_.note(line); };
    options_.keep_record = [this] { write_file(study_, options_); };
    study_.threads = options_.threads;
    study_.provenance = options_.provenance;
    application.allocate();
    io::StoredCheckpoint* stored = nullptr;
    if (source_.checkpoint) {
        Checkpoint& checkpoint = *source_.checkpoint;
        stored = &checkpoint.stored;
        if (source_.measured) {
            restore_final_state(world_, application, study_, *stored);
            options_.start_state = StartState::measured;
        } else {
            restore(world_, application, study_, checkpoint.path, *stored, checkpoint.rejections);
            if (nothing_to_do(world_, application, *stored, options_)) {
                conclude(study_.records.front(), application.shortfall());
                return verdict("");
            }
        }
    }
    if (source_.claim == Claim::fresh) make_way(world_, options_);
    if (stored != nullptr && world_.is_root() && options_.verbosity == Verbosity::full)
        std::printf("  %s %s after %llu steps\n", source_.measured ? "measuring the final state of" : "resuming",
                    stored->path.c_str(), static_cast<unsigned long long>(stored->header.step));
    run(world_, application, options_, stored, study_.records.front());
    return finish([this] { write_file(study_, options_); });
}

/// Writes the last version of the file, prints the results, and returns the exit code; prints on stderr why it is not
/// 0. Collective.
int StudyRun::finish(const std::function<void()>& write) {
    std::string unsaved;
    if (world_.is_root()) {
        try {
            write();
        } catch (...) {
            with_failure([&](ExitCode, const char* sentence) { unsaved = sentence; });
            if (study_.scan.empty() && (!study_.complete() || options_.config.seconds("checkpoint.interval") > 0))
                unsaved += " The checkpoint is written; once there is space, strata resume " +
                           options_.checkpoint_path() + " writes the result.";
        }
        if (options_.verbosity != Verbosity::silent) print_end(options_, study_);
    }
    return verdict(unsaved);
}

/// Exit code of the study, or of a file that could not be written for the reason `unsaved`. Collective.
int StudyRun::verdict(const std::string& unsaved) const {
    int code = 0;
    if (world_.is_root()) {
        code = unsaved.empty() ? study_.exit_code() : static_cast<int>(ExitCode::file);
        const std::string& sentence =
            unsaved.empty() && study_.scan.empty() ? study_.records.front().sentence : unsaved;
        if (!sentence.empty()) print_error(sentence);
    }
    broadcast(world_, code);
    return code;
}

/// Settings of the scan; those of its points are made by the groups.
void StudyRun::set_options_of_scan(const StudyLayout& layout) {
    options_.config = study_.config;
    options_.job_text = study_.text;
    options_.stem = source_.stem;
    options_.verbosity = invocation_.verbosity;
    options_.start = invocation_.start;
    options_.provenance = invocation_.provenance;
    options_.batch_end = invocation_.batch_end;
    options_.recording = layout.files.recording;
    options_.note = [this](const std::string& line) { lock_.note(line); };
}

/// Prints the head and writes the first version of the file, from which the scan can be resumed. Called on rank 0.
void StudyRun::begin_scan(const StudyLayout& layout, std::optional<Records>& records) {
    check_scan_disk(layout, io::free_disk(options_.result_path()), options_.result_path());
    if (source_.claim == Claim::fresh) remove_existing(options_);
    study_.first_point = cli::canonical_text(study_.config);
    study_.points_text = scan::to_text(study_.scan);
    study_.ranks_per_point = layout.groups.size;
    const int left = world_.size() - layout.groups.size * layout.groups.count;
    const std::size_t done = study_.done();
    if (invocation_.verbosity == Verbosity::full)
        print_head(
            study_.entry->name, machine_.placement, world_.size(), machine_.threads,
            {{points_text(study_.scan)},
             ": " + counted(layout.groups.count, "group") + " of " + counted(layout.groups.size, "rank") +
                 (left == 0 ? "" : ", " + counted(left, "rank") + " left over"),
             layout.memory,
             " at point " + std::to_string(layout.largest) + ", the largest",
             human_bytes(layout.records_bytes()) + " for the records",
             machine_.no_device,
             done == 0 ? "" : std::to_string(done) + " of " + std::to_string(study_.records.size()) + " points"});
    records.emplace(study_, layout, options_);
    records->write();
}

/// Computes the open points of a scan, whose records are on rank 0.
int StudyRun::compute_points() {
    const StudyLayout layout = lay_out(world_, study_, machine_);
    set_options_of_scan(layout);
    lock_ = claim_output(world_, {}, options_, source_.claim);  // the points check the disk space themselves
    const ScanSetting setting = {
        study_, machine_, options_,
        source_.claim == Claim::own ? points_begun(world_, source_.stem) : std::set<std::uint64_t>{}};
    std::optional<Records> records;
    collectively(world_, [&] {
        if (world_.is_root()) begin_scan(layout, records);
    });
    const int group_number = std::min(layout.groups.of(world_.rank()), layout.groups.count);
    const Communicator group = world_.split(group_number);
    if (world_.is_root()) {
        scan::Coordinator coordinator(
            world_, layout.groups, queue_of(layout, study_), layout.kinds,
            [&](std::uint64_t point) { return study_.scan.next(point); },
            [&](scan::PointOutcome finished) { records->take(std::move(finished)); });
        PointRunner(group, setting, [&] {
            records->attend(coordinator.under_way());
            return coordinator.stop_requested();
        }).run_points(&coordinator);
        coordinator.drain([&] {
            records->attend(coordinator.under_way());
            const bool late = monotonic_seconds() >= wall_end(options_);
            if (late || (take_requests() & request_stop) != 0) coordinator.stop();
        });
        records->finish();
    } else if (group_number < layout.groups.count) {
        std::unique_ptr<scan::PointSource> source;
        if (group.is_root()) source = std::make_unique<scan::RemoteSource>(world_);
        PointRunner(group, setting, [&] { return source->stop_requested(); }).run_points(source.get());
    }
    quiet_barrier(world_);
    return finish([&] { records->write(); });
}

/// True if no point of a resumed scan is open, after those that are tried again were opened. Collective.
bool all_points_are_done(const Communicator& world, Source& source) {
    bool done = false;
    if (world.is_root()) {
        Study& study = source.study;
        for (PointRecord& point : study.records)
            if (is_retried(point)) point = {};
        done = study.complete();
        if (done)
            std::printf("Nothing to do: all %zu points are done. strata show %s.h5 has the results.\n",
                        study.records.size(), source.stem.c_str());
    }
    broadcast(world, done);
    return done;
}

}  // namespace

int run_study(const Communicator& world, Source& source, const Invocation& invocation) {
    Study& study = source.study;
    const bool one = study.scan.empty();
    if (!one && source.claim == Claim::own && all_points_are_done(world, source)) {
        int code = study.exit_code();
        broadcast(world, code);
        return code;
    }
    if (one || world.is_root()) study.records.resize(study.scan.points());
    StudyRun run(world, source, invocation);
    return one ? run.compute_point() : run.compute_points();
}

}  // namespace strata
