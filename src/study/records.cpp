// SPDX-License-Identifier: BSD-3-Clause
// Rank 0 keeps the records of all points and writes them into the file of the scan.
#include "study/records.hpp"

#include <algorithm>

#include "io/checkpoint_file.hpp"
#include "io/files.hpp"
#include "io/provenance.hpp"
#include "io/study_file.hpp"
#include "strata/error.hpp"
#include "strata/timer.hpp"
#include "study/restore.hpp"
#include "study/study_source.hpp"

namespace strata {
namespace {

/// Time between two writes of the file: a tenth of the time so far, within min_period and max_period seconds, but at
/// least min_writes times the duration of a write, which keeps the share of writing below two percent for any number of
/// points.
constexpr double min_period = 1, max_period = 30, min_writes = 50;

report::Progress::Form progress_form(Verbosity verbosity) {
    if (verbosity != Verbosity::full) return report::Progress::Form::none;
    return report::stdout_is_terminal() ? report::Progress::Form::bar : report::Progress::Form::lines;
}

}  // namespace

bool is_retried(const PointRecord& point) {
    return point.state == PointState::failed && point.exit_code != static_cast<int>(ExitCode::numerical);
}

void write_file(Study& study, const RunOptions& options) {
    std::erase_if(study.provenance, [](const Fact& fact) { return fact.name == "end_utc"; });
    study.provenance.push_back({"end_utc", io::utc_now()});
    io::write_study(options.result_path(), study);
}

Records::Records(Study& study, const StudyLayout& layout, const RunOptions& options)
    : study_(study),
      layout_(layout),
      options_(options),
      writes_early_(options.config.seconds("checkpoint.interval") > 0),
      seconds_before_(study.seconds),
      begun_(monotonic_seconds()),
      done_(study.done()),
      progress_(progress_form(options.verbosity), done_, study.records.size(), "points", [this] { return outlook(); }) {
    progress_.note_by(options.note);
}

void Records::take(scan::PointOutcome finished) {
    if (finished.record.state == PointState::open) return;
    study_.records[finished.point] = std::move(finished.record);
    unsaved_ = true;
    ++done_;
}

void Records::attend(std::size_t under_way) {
    under_way_ = under_way;
    progress_.update(done_, study_.records.size(), monotonic_seconds());
    const double now = monotonic_seconds();
    if (!unsaved_ || now < next_write_ || !writes_early_) return;
    try {
        write();
    } catch (const Error& error) {
        progress_.say(std::string("The points so far are not written, and will be tried again: ") + error.what());
        next_write_ = now + max_period;
    }
}

void Records::write() {
    const double start = monotonic_seconds();
    study_.seconds = seconds_before_ + start - options_.start;
    write_file(study_, options_);
    const std::vector<PointCheckpoint> found = point_checkpoints(options_.stem);
    for (const PointCheckpoint& old : found)
        if (old.point < study_.records.size() && is_settled(old.point) &&
            is_settled(study_.scan.next(old.point).value_or(old.point)) && !leads_to_lost_state(old.point, found) &&
            !is_foreign(old.point))
            io::remove_file(old.path);
    unsaved_ = false;
    const double now = monotonic_seconds();
    next_write_ = now + std::max(min_writes * (now - start), std::clamp(0.1 * (now - begun_), min_period, max_period));
}

/// True if a point needs neither its own checkpoint nor that of the previous point of its chain.
bool Records::is_settled(std::uint64_t point) const {
    return study_.records[point].state != PointState::open && !is_retried(study_.records[point]);
}

/// True if the next open point of a chain starts from a state that has no checkpoint: a group may be computing it
/// again from those before it.
bool Records::leads_to_lost_state(std::uint64_t point, const std::vector<PointCheckpoint>& found) const {
    while (const std::optional<std::size_t> next = study_.scan.next(point)) {
        if (!is_settled(*next)) return std::ranges::count(found, point, &PointCheckpoint::point) == 0;
        point = *next;
    }
    return false;
}

/// True if the newest good checkpoint of a point is one of another job, whose user has named it so.
bool Records::is_foreign(std::uint64_t point) const {
    const std::string path = stem_of_point(options_.stem, point) + ".checkpoint.h5";
    std::vector<std::string> rejections;
    try {
        return !is_of_job(io::open_checkpoint(Communicator::alone(), path, 0, rejections), point_of(study_, point));
    } catch (const Error&) {
        return false;  // no good one: torn by a kill
    }
}

Outlook Records::outlook() const {
    const bool known = std::ranges::all_of(layout_.seconds, [](double seconds) { return seconds > 0; });
    double all = 0, done = 0;
    for (std::size_t p = 0; p < study_.records.size(); ++p) {
        const double cost = known ? layout_.seconds[p] : 1;
        all += cost;
        if (study_.records[p].state != PointState::open) done += cost;
    }
    return {done / all, std::to_string(done_) + " of " + std::to_string(study_.records.size()) + " points, " +
                            std::to_string(under_way_) + " under way"};
}

}  // namespace strata
