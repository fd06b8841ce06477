// SPDX-License-Identifier: BSD-3-Clause
// Results on the screen. Several files become the points of a table whose keys are those in which the jobs differ. A
// running job is known by its lock, which holds the last line of its progress.
#include "verbs/show.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <thread>

#include "io/files.hpp"
#include "io/lock_file.hpp"
#include "io/study_file.hpp"
#include "report/progress.hpp"
#include "report/study_table.hpp"
#include "run/console.hpp"
#include "run/stop_signals.hpp"
#include "strata/error.hpp"
#include "strata/printable.hpp"
#include "study/study_source.hpp"

namespace strata {
namespace {

constexpr auto watch_period = std::chrono::milliseconds(500);

enum class Owner { none, running };

/// What is said of a result: a run without an owner was stopped unless it is complete.
const char* state_text(bool complete, Owner owner) {
    return complete ? "" : owner == Owner::running ? " (running)" : " (stopped)";
}

/// ", about 3 min left" of a scan that was stopped after some points; the progress of a running one says it.
std::string time_left(const Study& study) {
    const auto done = static_cast<double>(study.done());
    if (study.complete() || study.done() == 0) return {};
    double seconds = 0;
    for (const PointRecord& point : study.records) seconds += point.seconds;
    seconds *= (static_cast<double>(study.records.size()) - done) / done;
    const int groups = std::max(1, study.ranks / std::max(1, study.ranks_per_point));
    return ", about " + report::human_time(seconds / groups) + " left";
}

void print_study(const Study& study, const cli::Arguments& arguments, Owner owner) {
    if (arguments.form == cli::Form::json) return static_cast<void>(std::printf("%s\n", io::to_json(study).c_str()));
    if (arguments.form == cli::Form::csv)
        return static_cast<void>(
            std::fputs((arguments.averages ? report::averages_csv : report::study_csv)(study).c_str(), stdout));
    const bool one = study.scan.empty();
    const PointRecord& first = study.records.front();
    if (!arguments.quiet) {
        std::printf("%s  %s\n", printable(arguments.operand, 4096).c_str(),
                    printable(study.config.application()).c_str());
        const std::string ranks = counted(study.ranks, "rank") + " x " + counted(study.threads, "thread");
        if (one)
            std::printf("  %llu of %llu steps%s, %s, %s\n\n", static_cast<unsigned long long>(first.steps),
                        static_cast<unsigned long long>(first.total_steps), state_text(study.complete(), owner),
                        ranks.c_str(), printable(first.backend).c_str());
        else
            std::printf("  %s\n  %zu of %zu points%s, %s, %s so far%s\n\n", points_text(study.scan).c_str(),
                        study.done(), study.records.size(), state_text(study.complete(), owner), ranks.c_str(),
                        report::human_time(study.seconds).c_str(),
                        owner == Owner::none ? time_left(study).c_str() : "");
    }
    const auto colour = report::stdout_is_terminal() ? report::Colour::on : report::Colour::off;
    std::fputs(report::study_table(study, colour).c_str(), stdout);
    if (!arguments.quiet && one)
        std::printf("\n%sstate_hash %s\n", report::timer_table(first).c_str(), printable(first.state_hash).c_str());
}

/// The value of a key in a study; empty if its application does not have the key.
std::string value_of(const Study& study, const std::string& key) {
    if (key == "application") return study.config.application();
    return study.config.has(key) ? study.config.value(key).text : std::string();
}

/// Names of the keys in which the studies differ, without those that say where the output goes.
std::vector<std::string> differing_keys(const std::vector<Study>& studies) {
    std::vector<std::string> names = {"application"}, differing;
    for (const Study& study : studies)
        for (const Config::Value& value : study.config.values())
            if (std::ranges::count(names, value.key.name) == 0) names.push_back(value.key.name);
    for (const std::string& name : names) {
        const bool file = name.starts_with("output.") || name.starts_with("checkpoint.");
        const bool same = std::ranges::all_of(
            studies, [&](const Study& study) { return value_of(study, name) == value_of(studies.front(), name); });
        if (!file && !same) differing.push_back(name);
    }
    return differing;
}

/// The results of several files as points of a scan: the keys are the name of the file and those that differ.
Study gathered(const std::vector<std::string>& paths) {
    std::vector<Study> studies;
    for (const std::string& path : paths) {
        studies.push_back(io::read_study(path));
        if (!studies.back().points_text.empty())
            throw Error(ExitCode::bad_input, printable(path, 4096) + " is a scan, which is shown alone.");
    }
    Study all;
    all.config = studies.front().config;
    const std::vector<std::string> differing = differing_keys(studies);
    ScanAxis axis;
    axis.keys.resize(1 + differing.size());
    axis.keys[0].key.name = "file";
    for (std::size_t k = 0; k < differing.size(); ++k) axis.keys[k + 1].key.name = differing[k];
    for (std::size_t f = 0; f < studies.size(); ++f) {
        std::vector<std::string> row = {paths[f]};
        for (const std::string& name : differing) row.push_back(value_of(studies[f], name));
        axis.values.push_back(row);
        all.records.push_back(std::move(studies[f].records.front()));
    }
    all.scan.axes.push_back(std::move(axis));
    return all;
}

void print_many(const cli::Arguments& arguments) {
    if (arguments.form == cli::Form::json)
        throw Error(ExitCode::bad_input, "--json shows one file; several are a table or --csv.");
    std::vector<std::string> paths = {arguments.operand};
    paths.insert(paths.end(), arguments.more.begin(), arguments.more.end());
    if (!std::ranges::all_of(paths, io::is_checkpoint))
        std::erase_if(paths, io::is_checkpoint);  // out/*.h5 names them, too
    if (paths.size() > 1 && !std::ranges::all_of(paths, io::is_scan))
        std::erase_if(paths, [](const std::string& path) {
            const bool scan = io::is_scan(path);
            if (scan) print_error(printable(path, 4096) + " is a scan, which is shown alone; it is left out.");
            return scan;
        });
    const Study study = gathered(paths);
    const auto colour = report::stdout_is_terminal() ? report::Colour::on : report::Colour::off;
    const bool csv = arguments.form == cli::Form::csv;
    std::fputs((csv ? report::study_csv(study) : report::study_table(study, colour)).c_str(), stdout);
}

/// "running: process 7 on HOST since TIME", and its last line of progress below; empty if no job has the lock.
std::string running_text(const std::string& path) {
    if (!path.ends_with(".h5")) return {};
    const std::optional<io::LockOwner> owner = io::owner_of(path.substr(0, path.size() - 3));
    if (!owner) return {};
    return "running: " + owner->words + "\n" + (owner->note.empty() ? "" : "  " + owner->note + "\n");
}

void print_series(const cli::Arguments& arguments) {
    Study study = read_result(arguments.operand);
    if (study.scan.empty()) study.records.front().series = io::read_series(arguments.operand);
    std::fputs((arguments.averages ? report::average_series_csv : report::series_csv)(study).c_str(), stdout);
}

void print_files(const cli::Arguments& arguments) {
    const std::string& path = arguments.operand;
    if (arguments.series && !arguments.more.empty())
        throw Error(ExitCode::bad_input, "--series shows one file; give one after the other.");
    if (arguments.series) return print_series(arguments);
    if (arguments.averages && !arguments.more.empty())
        throw Error(ExitCode::bad_input, "--averages shows one scan; give one after the other.");
    if (!arguments.more.empty()) return print_many(arguments);
    const std::string running = running_text(path);
    if (arguments.form == cli::Form::table && !arguments.quiet) std::fputs(running.c_str(), stdout);
    if (!running.empty() && !io::exists(path) && arguments.form == cli::Form::table)
        return static_cast<void>(
            std::fputs("No results yet: they come with a checkpoint, which kill -USR1 and the "
                       "number of the process asks for.\n",
                       stdout));
    const Owner owner = running.empty() ? Owner::none : Owner::running;
    const Study study = read_result(path);
    if (arguments.form == cli::Form::csv && study.scan.empty() && !arguments.averages) return print_many(arguments);
    print_study(study, arguments, owner);
}

}  // namespace

void show(const cli::Arguments& arguments) {
    if (arguments.watch && !arguments.more.empty()) throw Error(ExitCode::bad_input, "--watch shows one file.");
    std::string shown;
    while (arguments.watch) {
        const std::string running = running_text(arguments.operand);
        if (running.empty() || (take_requests() & request_stop) != 0) break;
        if (running != shown) {
            if (report::stdout_is_terminal()) std::printf("\033[H\033[J");
            print_files(arguments);
            std::fflush(stdout);
        }
        shown = running;
        std::this_thread::sleep_for(watch_period);
    }
    print_files(arguments);
}

}  // namespace strata
