// SPDX-License-Identifier: BSD-3-Clause
// Results on the screen. Several files become the points of a table whose keys are those in which the jobs differ. A
// running job is known by its lock, which holds the last line of its progress.
#include "show.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <thread>

#include "cli/progress.hpp"
#include "cli/scan_table.hpp"
#include "cli/table.hpp"
#include "console.hpp"
#include "io/files.hpp"
#include "io/lock_file.hpp"
#include "io/result_file.hpp"
#include "io/scan_file.hpp"
#include "job_source.hpp"
#include "scan_console.hpp"
#include "stop_signals.hpp"
#include "strata/error.hpp"
#include "strata/printable.hpp"

namespace strata {
namespace {

constexpr auto watch_period = std::chrono::milliseconds(500);

enum class Owner { none, running };

/// What is said of a result: a run without an owner was stopped unless it is complete.
const char* state_text(bool complete, Owner owner) {
    return complete ? "" : owner == Owner::running ? " (running)" : " (stopped)";
}

void print_scan(const ScanReport& report, const cli::Arguments& arguments, Owner owner) {
    if (arguments.form == cli::Form::json) {
        std::printf("%s\n", io::to_json(report).c_str());
        return;
    }
    if (arguments.form == cli::Form::csv) {
        std::fputs(cli::scan_csv(report).c_str(), stdout);
        return;
    }
    const auto colour = cli::stdout_is_terminal() ? cli::Colour::on : cli::Colour::off;
    if (!arguments.quiet) {
        std::printf("%s  %s\n  %s\n", printable(arguments.operand, 4096).c_str(),
                    printable(report.config.application()).c_str(), points_text(report.scan).c_str());
        double left = 0;
        for (const PointRecord& point : report.points) left += point.seconds;
        const auto done = static_cast<double>(report.done());
        left *= (static_cast<double>(report.points.size()) - done) / std::max(1.0, done);
        const int groups = std::max(1, report.ranks / std::max(1, report.ranks_per_point));
        std::printf("  %zu of %zu points%s, %s x %s, %s so far%s\n\n", report.done(), report.points.size(),
                    state_text(report.complete, owner), counted(report.ranks, "rank").c_str(),
                    counted(report.threads, "thread").c_str(), cli::human_time(report.seconds).c_str(),
                    report.complete || report.done() == 0 || owner == Owner::running  // whose progress says it
                        ? ""
                        : (", about " + cli::human_time(left / groups) + " left").c_str());
    }
    std::fputs(cli::scan_table(report, colour).c_str(), stdout);
}

void print_result(const Report& report, const cli::Arguments& arguments, Owner owner) {
    if (arguments.form == cli::Form::json) {
        std::printf("%s\n", io::to_json(report).c_str());
        return;
    }
    const auto colour = cli::stdout_is_terminal() ? cli::Colour::on : cli::Colour::off;
    if (!arguments.quiet) {
        std::printf("%s  %s\n", printable(arguments.operand, 4096).c_str(),
                    printable(report.config.application()).c_str());
        std::printf("  %llu of %llu steps%s, %s x %s, %s\n\n", static_cast<unsigned long long>(report.steps),
                    static_cast<unsigned long long>(report.total_steps), state_text(report.complete, owner),
                    counted(report.ranks, "rank").c_str(), counted(report.threads, "thread").c_str(),
                    printable(report.backend).c_str());
    }
    std::fputs(cli::result_table(report, colour).c_str(), stdout);
    if (!arguments.quiet)
        std::printf("\n%sstate_hash %s\n", cli::timer_table(report).c_str(), printable(report.state_hash).c_str());
}

/// The value of a key in a report; empty if its application does not have the key.
std::string value_of(const Report& report, const std::string& key) {
    if (key == "application") return report.config.application();
    return report.config.has(key) ? report.config.value(key).text : std::string();
}

/// Names of the keys in which the reports differ, without those that say where the output goes.
std::vector<std::string> differing_keys(const std::vector<Report>& reports) {
    std::vector<std::string> names = {"application"}, differing;
    for (const Report& report : reports)
        for (const Config::Value& value : report.config.values())
            if (std::ranges::count(names, value.key.name) == 0) names.push_back(value.key.name);
    for (const std::string& name : names) {
        const bool file = name.starts_with("output.") || name.starts_with("checkpoint.");
        const bool same = std::ranges::all_of(
            reports, [&](const Report& report) { return value_of(report, name) == value_of(reports.front(), name); });
        if (!file && !same) differing.push_back(name);
    }
    return differing;
}

PointRecord as_point(Report& report) {
    PointRecord point;
    point.state = state_of(report);
    point.exit_code = report.exit_code.value_or(0);
    point.sentence = report.sentence;
    point.remark = report.remark;
    point.seconds = report.seconds;
    point.quantities = std::move(report.quantities);
    return point;
}

/// The results of several files as points of a scan: the keys are the name of the file and those that differ.
ScanReport gathered(const std::vector<std::string>& paths) {
    std::vector<Report> reports;
    for (const std::string& path : paths) {
        if (io::is_scan(path))
            throw Error(ExitCode::bad_input, printable(path, 4096) + " is a scan, which is shown alone.");
        reports.push_back(io::read_result(path));
    }
    ScanReport all;
    all.config = reports.front().config;
    const std::vector<std::string> differing = differing_keys(reports);
    ScanAxis axis;
    axis.keys.resize(1 + differing.size());
    axis.keys[0].key.name = "file";
    for (std::size_t k = 0; k < differing.size(); ++k) axis.keys[k + 1].key.name = differing[k];
    for (std::size_t f = 0; f < reports.size(); ++f) {
        std::vector<std::string> row = {paths[f]};
        for (const std::string& name : differing) row.push_back(value_of(reports[f], name));
        axis.values.push_back(row);
        all.points.push_back(as_point(reports[f]));
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
    const ScanReport report = gathered(paths);
    if (arguments.form == cli::Form::csv) return static_cast<void>(std::fputs(cli::scan_csv(report).c_str(), stdout));
    const auto colour = cli::stdout_is_terminal() ? cli::Colour::on : cli::Colour::off;
    std::fputs(cli::scan_table(report, colour).c_str(), stdout);
}

/// "running: process 7 on HOST since TIME", and its last line of progress below; empty if no job has the lock.
std::string running_text(const std::string& path) {
    if (!path.ends_with(".h5")) return {};
    const std::optional<io::LockOwner> owner = io::owner_of(path.substr(0, path.size() - 3));
    if (!owner) return {};
    return "running: " + owner->words + "\n" + (owner->note.empty() ? "" : "  " + owner->note + "\n");
}

void print_files(const cli::Arguments& arguments) {
    const std::string& path = arguments.operand;
    if (!arguments.more.empty()) return print_many(arguments);
    const std::string running = running_text(path);
    if (arguments.form == cli::Form::table && !arguments.quiet) std::fputs(running.c_str(), stdout);
    if (!running.empty() && !io::exists(path) && arguments.form == cli::Form::table)
        return static_cast<void>(
            std::fputs("No results yet: they come with a checkpoint, which kill -USR1 and the "
                       "number of the process asks for.\n",
                       stdout));
    const Owner owner = running.empty() ? Owner::none : Owner::running;
    if (io::is_scan(path)) return print_scan(read_scan_report(path), arguments, owner);
    if (arguments.form == cli::Form::csv) return print_many(arguments);
    print_result(io::read_result(path), arguments, owner);
}

}  // namespace

void show(const cli::Arguments& arguments) {
    if (arguments.watch && !arguments.more.empty()) throw Error(ExitCode::bad_input, "--watch shows one file.");
    std::string shown;
    while (arguments.watch) {
        const std::string running = running_text(arguments.operand);
        if (running.empty() || (take_requests() & request_stop) != 0) break;
        if (running != shown) {
            if (cli::stdout_is_terminal()) std::printf("\033[H\033[J");
            print_files(arguments);
            std::fflush(stdout);
        }
        shown = running;
        std::this_thread::sleep_for(watch_period);
    }
    print_files(arguments);
}

}  // namespace strata
