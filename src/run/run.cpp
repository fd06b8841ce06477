// SPDX-License-Identifier: BSD-3-Clause
// The run loop: observe the start, step, observe, poll requests; then finish, checkpoint, complete the record. Rank 0
// decides about requests of the clock and signals and broadcasts them, so that all ranks checkpoint and stop after the
// same step.
#include "run/run.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <limits>
#include <sstream>

#include "cli/job.hpp"
#include "comm/collectives.hpp"
#include "comm/session.hpp"
#include "io/provenance.hpp"
#include "report/progress.hpp"
#include "run/stop_signals.hpp"
#include "run/watchdog.hpp"
#include "strata/error.hpp"

namespace strata {
namespace {

/// Seconds between two polls of clock and signals. Open MPI's mpirun kills the ranks one second after it has forwarded
/// TERM or INT, so that the last checkpoint must be written within that second.
constexpr double agreement_period = 0.1;
constexpr double min_step_margin = 0.5;  // least seconds reserved for a step before the wall limit
/// Failed checkpoints in a row that end the run.
constexpr int max_failed_checkpoints = 3;
/// Least time between checkpoints at the ends of parts: in seconds, and in units of the time of a checkpoint.
constexpr double min_part_seconds = 1, min_part_checkpoints = 50;

report::Progress::Form progress_form(const Communicator& comm, Verbosity verbosity) {
    if (!comm.is_root() || verbosity != Verbosity::full) return report::Progress::Form::none;
    return report::stdout_is_terminal() ? report::Progress::Form::bar : report::Progress::Form::lines;
}

/// A system of a run, its record, and what is known of its checkpoints.
struct Member {
    explicit Member(const RunMember& m, bool root)
        : application(m.application),
          options(m.options),
          record(m.record),
          newest_is_good(m.stored == nullptr || m.stored->path == m.options.checkpoint_path()),
          seconds_before(m.stored == nullptr ? 0 : m.stored->header.seconds) {
        record.series = Series(application.columns());
        if (m.stored != nullptr && root) record.series.assign(std::move(m.stored->series));
        if (root) record.series.reserve(options.recording.rows);
    }

    Application& application;
    const RunOptions& options;
    PointRecord& record;
    bool newest_is_good;             ///< the newest checkpoint file is the restored one or was written by this run
    double seconds_before;           ///< time of the parts of the run before this one
    std::string written_hash = {};   ///< state hash of the last checkpoint
    std::uint64_t written_step = 0;  ///< step of the last checkpoint
};

/// One run, of one system or of several that take the same steps together: settings, series, clock and progress.
class Run {
  public:
    Run(const Communicator& comm, std::span<const RunMember> members, const Timers& timers)
        : comm_(comm),
          timers_(timers),
          application_(members.front().application),
          growing_(optional_of<Growing>(application_)),
          reviewed_(optional_of<Reviewed>(application_)),
          options_(members.front().options),
          wall_limit_(wall_end(options_) - options_.start),
          interval_(options_.config.seconds("checkpoint.interval")),
          resumed_(members.front().stored != nullptr),
          first_(resumed_ ? members.front().stored->header.step : 0),
          step_(first_),
          progress_(progress_form(comm, options_.verbosity), first_, application_.total_steps(),
                    application_.step_name(),
                    [this] { return growing_ != nullptr ? growing_->outlook() : Outlook(); }) {
        if (comm.is_root() && options_.note) progress_.note_by(options_.note);
        for (const RunMember& member : members) members_.emplace_back(member, comm.is_root());
    }

    /// Observes the start, or the state that was restored.
    void begin() {
        last_checkpoint_ = monotonic_seconds();
        next_poll_ = step_ + 1;
        if (options_.start_state == StartState::measured) {
            if (optional_of<Remeasured>(application_)->observes_final_state()) observe();
            return;
        }
        if (!resumed_ && application_.observes_start()) observe();
        if (auto* observing = optional_of<EndObserving>(application_); observing != nullptr && resumed_)
            observing->resume_series(step_, series());
        if (resumed_ && reviewed_ != nullptr) reviewed_->review(step_, series());
    }

    bool is_under_way() const { return step_ < total() && !stopped_; }

    /// The number of the next step, for which the application is prepared. On an error a checkpoint is written first,
    /// unless no step was made or checkpoints are off.
    std::uint64_t prepare_step() {
        if (step_ == first_) step_start_ = monotonic_seconds();
        try {
            if (growing_ != nullptr) growing_->prepare_step(step_);
        } catch (const CollectiveError& error) {
            if (step_ == first_ || interval_ == 0 || options_.stem.empty()) throw;
            checkpoint(true);
            throw CollectiveError(error.code(), std::string(error.what()) +
                                                    " The work so far is saved: strata resume " +
                                                    options_.checkpoint_path() + " goes on from there.");
        }
        return step_;
    }

    /// Observes the step that was made, and answers requests.
    void take_step() {
        if (application_.observes(step_)) observe();
        ++step_;
        if (reviewed_ != nullptr) reviewed_->review(step_, series());
        const double now = monotonic_seconds();  // the only reading of the clock in a step, of some 25 ns
        stepping_ += now - step_start_;
        step_start_ = now;
        current_step_.store(step_, std::memory_order_relaxed);
        watchdog_.step_made();
        if (comm_.size() == 1) throw_if_broken();
        if (comm_.is_root() && options_.stop_requested && options_.stop_requested()) stop_requested_ = true;
        if (step_ >= next_poll_ || ended_part()) {
            poll_requests();
            step_start_ = monotonic_seconds();
        }
        progress_.update(step_, total(), now);
    }

    /// Completes the record after the last step.
    void finish() {
        const double waiting = monotonic_seconds();
        application_.finish();
        stepping_ += monotonic_seconds() - waiting;
        throw_if_broken();
        progress_.finish(step_);
        if (!stopped_ && leaves_checkpoint()) checkpoint(true);
        times_ = phase_times();
        for (Member& m : members_) {
            const bool hashed = !m.written_hash.empty() && m.written_step == step_;
            update_record(m, hashed ? m.written_hash : io::state_hash(comm_, m.application.state()));
            m.record.series.drop_front(m.record.rows_left_out);
            m.record.rows_left_out = 0;
        }
    }

  private:
    Series& series() { return members_.front().record.series; }
    /// Current estimate of the application; may shrink during the run.
    std::uint64_t total() const { return application_.total_steps(); }

    /// True if a run that was not stopped writes a checkpoint at its end.
    bool leaves_checkpoint() const {
        if (options_.files == RunFiles::point_with_state) return true;
        return step_ > first_ && interval_ > 0 && options_.files == RunFiles::job;
    }

    void observe() {
        for (Member& member : members_) observe(member);
    }
    /// Appends the rows of the last step to the series of rank 0, up to the first impossible row.
    void observe(Member& m) {
        rows_.clear();
        m.application.observe(rows_);
        if (!comm_.is_root()) return;
        const std::size_t width = m.record.series.width();
        for (std::size_t at = 0; at < rows_.size(); at += width) {
            const std::span<const double> row(rows_.data() + at, width);
            const std::string error = broken_.empty() ? m.application.broken_invariant(row) : "";
            if (!error.empty())
                broken_ = "Step " + std::to_string(step_) + " gave an impossible result: " + error +
                          " The last checkpoint is from before it.";
            if (!broken_.empty()) continue;
            m.record.series.append(row);
            if (progress_.is_log()) progress_.log(m.application.log_line(row));
        }
    }

    /// Throws on all ranks if rank 0 has found an impossible row, before anything of it is saved. Collective.
    void throw_if_broken() {
        bool broken = !broken_.empty();
        broadcast(comm_, broken);
        if (!broken) return;
        broadcast(comm_, broken_);
        throw CollectiveError(ExitCode::numerical, broken_);
    }

    /// Prints the stall on stderr; ends the process after run.stall-abort. Called by the thread of the watchdog.
    void report_stall(double seconds) {
        std::string phase = timers_.current_phase();
        if (phase.empty()) phase = phase_.load();
        const bool enough = seconds >= options_.config.seconds("run.stall-abort");
        std::fprintf(stderr, "strata: [rank %d %s] no step finished for %.0f s; step %llu, phase '%s'%s\n",
                     comm_.rank(), host_name().c_str(), seconds, static_cast<unsigned long long>(current_step_.load()),
                     phase.c_str(), enough ? "; giving up (run.stall-abort)" : "");
        if (enough) std::_Exit(static_cast<int>(ExitCode::internal));
    }
    double stall_timeout() const {
        const double warning = options_.config.seconds("run.stall-warning"),
                     limit = options_.config.seconds("run.stall-abort");
        return warning > 0 ? std::min(warning, limit) : limit;
    }

    /// True if the last step ended a part and checkpoints are enabled.
    bool ended_part() const {
        return interval_ > 0 && std::isfinite(interval_) && growing_ != nullptr && growing_->ends_part(step_ - 1);
    }

    /// Makes all ranks agree on the requests of clock and signals, and on the step of the next poll. Collective.
    void poll_requests() {
        throw_if_broken();
        unsigned requests = take_requests();
        std::uint64_t pause = 1;
        if (comm_.is_root()) {
            const double now = monotonic_seconds();
            const double pause_before_part = std::max(min_part_seconds, min_part_checkpoints * checkpoint_seconds_);
            const double due = ended_part() ? std::min(interval_, pause_before_part) : interval_;
            if (interval_ > 0 && now - last_checkpoint_ >= due) requests |= request_checkpoint;
            if (stop_requested_ || now - options_.start + margin() >= wall_limit_) requests |= request_stop;
            const double per_step = stepping_ / static_cast<double>(step_ - first_);
            pause = static_cast<std::uint64_t>(std::clamp(agreement_period / std::max(per_step, 1e-9), 1.0, 1e9));
        }
        const bool stop = all_max(comm_, requests & request_stop) != 0;
        const bool save = all_max(comm_, requests & request_checkpoint) != 0;
        broadcast(comm_, pause);
        next_poll_ = step_ + pause;
        if (stop || save) checkpoint(stop);
        stopped_ = stop && step_ < total();
    }

    /// Seconds reserved before the wall limit for the last checkpoint and the current step.
    double margin() const {
        const double per_step = stepping_ / static_cast<double>(step_ - first_);
        return std::max(2 * checkpoint_seconds_ + 3 * std::max(per_step, min_step_margin),
                        0.01 * std::min(wall_limit_, 1e9));
    }

    /// Writes a checkpoint, then the result so far: a lost checkpoint loses work, a lost result does not. A failure is
    /// reported and tolerated if there will be another attempt.
    void checkpoint(bool last) {
        if (options_.stem.empty()) return;
        phase_.store("checkpoint");
        const double start = monotonic_seconds();
        const char* failure = "Checkpoint not written, the one before stays: ";
        try {
            for (Member& member : members_) write_checkpoint(member);
            failure = "Checkpoint written, but not the result so far: ";
            if (!last && options_.keep_record) {
                times_ = phase_times();
                for (Member& member : members_) update_record(member, member.written_hash);
                collectively(comm_, [&] {
                    if (comm_.is_root()) options_.keep_record();
                });
            }
            failed_checkpoints_ = 0;
        } catch (const CollectiveError& error) {
            progress_.say(failure + std::string(error.what()));
            if (last || ++failed_checkpoints_ == max_failed_checkpoints) throw;
        }
        last_checkpoint_ = monotonic_seconds();
        checkpoint_seconds_ = last_checkpoint_ - start;
        phase_.store("between steps");
        watchdog_.step_made();
    }

    void write_checkpoint(Member& m) {
        const io::CheckpointHeader header{m.options.config.application(),
                                          io::program_version(),
                                          cli::canonical_text(m.options.config),
                                          m.options.job_text,
                                          step_,
                                          m.seconds_before + seconds()};
        const int keep = m.newest_is_good ? static_cast<int>(m.options.config.integer("checkpoint.keep")) : 1;
        m.written_hash = io::write_checkpoint(comm_, m.options.checkpoint_path(), keep, header, m.record.series,
                                              m.application.state());
        m.written_step = step_;
        m.newest_is_good = true;
    }

    /// Seconds of the steps of each system: an equal part of those that they took together.
    double seconds() const { return stepping_ / static_cast<double>(members_.size()); }

    /// Mean and maximum over the ranks of the seconds of each phase, on rank 0; a rank without a phase has spent no
    /// time in it. The messages do not depend on the phases, which may differ between the ranks. Collective.
    std::vector<PhaseTime> phase_times() const {
        std::vector<PhaseTime> times;
        std::vector<double> own;
        std::string own_names;
        for (const Timers::Phase& phase : timers_.phases()) {
            times.push_back({phase.name, 0, 0, phase.calls});
            own.push_back(phase.seconds / static_cast<double>(members_.size()));
            own_names += phase.name + "\n";
        }
        const std::vector<double> seconds = gather(comm_, std::span<const double>(own));
        std::size_t at = 0;
        for (const std::string& names : gather(comm_, own_names)) {
            std::istringstream lines(names);
            for (std::string name; std::getline(lines, name); ++at) {
                auto time = std::ranges::find(times, name, &PhaseTime::name);
                if (time == times.end()) time = times.insert(time, {name, 0, 0, 0});
                time->seconds += seconds[at] / comm_.size();
                time->seconds_most = std::max(time->seconds_most, seconds[at]);
            }
        }
        return times;
    }

    /// Completes the record of the steps so far on rank 0. Collective.
    void update_record(Member& m, const std::string& hash) {
        collectively(comm_, [&] {
            if (!comm_.is_root()) return;
            PointRecord& record = m.record;
            record.backend = m.application.backend();
            record.steps = step_;
            record.total_steps = total();
            record.seconds = m.seconds_before + seconds();
            record.quantities = m.application.results(record.series);
            if (const auto* reviewed = optional_of<Reviewed>(m.application))
                record.rows_left_out = reviewed->rows_left_out();
            record.remark = m.application.remark();
            if (step_ == total()) conclude(record, m.application.shortfall());
            record.performance = m.application.performance(step_ - first_, seconds());
            record.state_hash = hash;
            record.timers = times_;
        });
    }

    const Communicator& comm_;
    const Timers& timers_;
    std::vector<Member> members_;
    Application& application_;  ///< the first member's, like the three below
    Growing* const growing_;    ///< the application, if it is one, else null
    Reviewed* const reviewed_;  ///< the same
    const RunOptions& options_;
    std::vector<double> rows_;  ///< rows of the last observation
    const double wall_limit_;   ///< seconds from the start of the program to wall_end()
    const double interval_;
    const bool resumed_;
    const std::uint64_t first_;
    std::uint64_t step_, next_poll_ = 0;
    std::string broken_;  ///< on rank 0: error of an impossible row; empty: none
    double stepping_ = 0, step_start_ = 0, last_checkpoint_ = 0, checkpoint_seconds_ = 0;
    int failed_checkpoints_ = 0;
    bool stopped_ = false, stop_requested_ = false;
    std::vector<PhaseTime> times_;
    report::Progress progress_;
    std::atomic<std::uint64_t> current_step_{step_};
    std::atomic<const char*> phase_{"between steps"};
    Watchdog watchdog_{stall_timeout(),
                       [this](double seconds) { report_stall(seconds); }};  // last member: its thread reads the others
};

/// Starts the systems that no checkpoint has restored, and takes all steps.
void run_members(const Communicator& comm, std::span<const RunMember> members, const Timers& timers,
                 const std::function<void(std::uint64_t step)>& step) {
    for (const RunMember& m : members)
        if (m.stored == nullptr && m.options.start_state == StartState::initial) m.application.initialise();
    Run run(comm, members, timers);
    run.begin();
    while (run.is_under_way()) {
        step(run.prepare_step());
        run.take_step();
    }
    run.finish();
}

}  // namespace

double batch_end() {
    const char* text = std::getenv("SLURM_JOB_END_TIME");
    double end = 0;
    if (text == nullptr || !parse_real(text, end)) return std::numeric_limits<double>::infinity();
    return monotonic_seconds() + end - static_cast<double>(std::time(nullptr));
}

double wall_end(const RunOptions& options) {
    return std::min(options.start + options.config.seconds("run.wall-time"), options.batch_end);
}

void run(const Communicator& comm, Application& application, const RunOptions& options, io::StoredCheckpoint* stored,
         PointRecord& record) {
    const RunMember member = {application, options, stored, record};
    run_members(comm, std::span(&member, 1), application.timers(), [&](std::uint64_t step) { application.step(step); });
}

void run_together(const Communicator& comm, Batch& batch, std::span<const RunMember> members) {
    run_members(comm, members, batch.timers(), [&](std::uint64_t step) { batch.step(step); });
}

}  // namespace strata
