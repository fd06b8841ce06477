// SPDX-License-Identifier: BSD-3-Clause
// The verbs run and resume. Files of an earlier run are removed only after the new run has its memory, its lock and its
// state.
#include "run_job.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "cli/applicability.hpp"
#include "cli/input_errors.hpp"
#include "comm/collectives.hpp"
#include "console.hpp"
#include "io/checkpoint_file.hpp"
#include "io/files.hpp"
#include "io/result_file.hpp"
#include "output_files.hpp"
#include "restore.hpp"
#include "run_scan.hpp"
#include "strata/error.hpp"
#include "strata/printable.hpp"

namespace strata {
namespace {

/// Exit code of a run that is complete or was stopped; prints on stderr why it is not 0. `report` is used on rank 0.
/// Collective.
int finish_code(const Communicator& comm, const Report& report) {
    int code = report.unsaved.empty() ? report.exit_code.value_or(0) : static_cast<int>(ExitCode::file);
    broadcast(comm, code);
    if (comm.is_root() && code != 0) print_error(report.unsaved.empty() ? report.sentence : report.unsaved);
    return code;
}

int run_and_report(const Communicator& comm, Application& application, const RunOptions& options,
                   io::StoredCheckpoint* stored) {
    const Report report = run(comm, application, options, stored).report;
    if (comm.is_root() && options.verbosity != Verbosity::silent) print_end(options, report);
    return finish_code(comm, report);
}

/// True if the result file belongs to the restored state. A damaged result is reported on stderr and counts as missing.
/// Called on rank 0.
bool has_result(const RunOptions& options, const io::StoredCheckpoint& stored) {
    try {
        const Report report = io::read_result(options.result_path());
        return report.complete && report.steps == stored.header.step && report.state_hash == stored.header.state_hash;
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
        throw CollectiveError(ExitCode::bad_input, stored.path + " has " + std::to_string(made) +
                                                       " steps already, more than the " + std::to_string(total) +
                                                       " asked for.");
    bool nothing = comm.is_root() && total == made && has_result(options, stored);
    broadcast(comm, nothing);
    if (nothing && comm.is_root())
        std::printf(
            "Nothing to do: all %llu steps are made. strata show %s has the results; its length may change by %s.\n",
            static_cast<unsigned long long>(made), options.result_path().c_str(),
            length_options(options.config).c_str());
    return nothing;
}

}  // namespace

int run_job(const Communicator& comm, const std::string& path, const std::vector<cli::Override>& overrides,
            const Invocation& invocation) {
    Job job;
    collectively(comm, [&] {
        if (comm.is_root()) job = read_job(path, overrides);
    });
    share_job(comm, job);
    std::string stem;
    collectively(comm, [&] { stem = stem_of(job.config, path); });
    if (!job.scan.empty()) return run_scan(comm, job, stem, invocation);
    auto [options, application] = prepare(comm, job, stem, survey(comm, job, invocation.verbosity), invocation);
    const io::LockFile lock = claim_output(comm, application->memory(), options, Claim::fresh);
    options.note = [&lock](const std::string& line) { lock.note(line); };
    application->allocate();
    make_way(comm, options);
    return run_and_report(comm, *application, options, nullptr);
}

int resume_job(const Communicator& comm, const std::string& operand, const std::vector<cli::Override>& overrides,
               const Invocation& invocation) {
    std::vector<std::string> rejections;
    std::string origin, path = comm.is_root() ? io::target_of(operand) : "";
    broadcast(comm, path);
    std::string scan = comm.is_root() ? scan_named(path) : "";
    broadcast(comm, scan);
    if (!scan.empty()) return resume_scan(comm, scan, overrides, invocation);
    collectively(comm, [&] { origin = stem_of_checkpoint(path); });
    io::StoredCheckpoint stored = io::open_checkpoint(comm, path, 0, rejections);
    if (comm.is_root())
        for (const std::string& rejection : rejections) print_error(rejection);
    Job job;
    collectively(comm, [&] {
        if (comm.is_root()) job = job_of(stored.header, overrides);
    });
    share_job(comm, job);
    if (comm.is_root())
        for (const std::string& change : cli::changed_files(job.config)) print_error(change);
    const bool renamed = std::ranges::any_of(
        overrides, [](const cli::Override& o) { return o.key == "output.directory" || o.key == "output.name"; });
    std::string stem = origin;
    collectively(comm, [&] {
        if (renamed) stem = stem_of(job.config, std::filesystem::path(origin).filename().string() + ".ini");
        refuse_point_name(stem);
    });
    auto [options, application] = prepare(comm, job, stem, survey(comm, job, invocation.verbosity), invocation);
    // files of the resumed run are its own and are not refused
    auto claim = comm.is_root() && same_files(origin, options.stem) ? Claim::own : Claim::fresh;
    broadcast(comm, claim);
    const io::LockFile lock = claim_output(comm, application->memory(), options, claim);
    options.note = [&lock](const std::string& line) { lock.note(line); };
    application->allocate();
    restore(comm, *application, job, path, stored, rejections);
    if (nothing_to_do(comm, *application, stored, options)) {
        Report report;
        report.sentence = application->shortfall();
        if (!report.sentence.empty()) report.exit_code = static_cast<int>(ExitCode::numerical);
        return finish_code(comm, report);
    }
    if (claim == Claim::fresh) make_way(comm, options);
    if (comm.is_root() && options.verbosity == Verbosity::full)
        std::printf("  resuming %s after %llu steps\n", stored.path.c_str(),
                    static_cast<unsigned long long>(stored.header.step));
    return run_and_report(comm, *application, options, &stored);
}

}  // namespace strata
