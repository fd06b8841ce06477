// SPDX-License-Identifier: BSD-3-Clause
// Dispatch of the verbs: verbs that compute run on all ranks; verbs that print run on rank 0 while the others wait.
#include "launch.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "applications.hpp"
#include "cli/help.hpp"
#include "cli/manual.hpp"
#include "cli/table.hpp"
#include "comm/collectives.hpp"
#include "comm/device_exchange.hpp"
#include "comm/session.hpp"
#include "console.hpp"
#include "io/provenance.hpp"
#include "job_source.hpp"
#include "outputs.hpp"
#include "plan_table.hpp"
#include "prediction/prediction.hpp"
#include "run_job.hpp"
#include "scan_console.hpp"
#include "scan_layout.hpp"
#include "selftest.hpp"
#include "show.hpp"
#include "strata/device.hpp"
#include "strata/error.hpp"
#include "strata/failure.hpp"
#include "strata/printable.hpp"
#include "strata/profiler.hpp"

namespace strata {
namespace {

void print_version() {
    std::printf("strata %s\n", io::program_version().c_str());
    for (const Fact& fact : io::build_facts())
        if (fact.name != "version") std::printf("  %-12s %s\n", fact.name.c_str(), fact.value.c_str());
    std::printf("  %-12s %s\n", "gpu", device::build().c_str());
    std::printf("  %-12s %s\n", "profilers", profiler::kinds());
    const device::Support support = device::support();
    for (int i = 0; i < support.count; ++i) {
        const device::Facts f = device::facts(i);
        std::printf("  %-12s %s, sm_%d%d, %s\n", i == 0 ? "devices" : "", f.name.c_str(), f.major, f.minor,
                    human_bytes(f.memory).c_str());
    }
    if (support.count == 0) std::printf("  %-12s none: %s\n", "devices", support.reason.c_str());
    std::printf("  %-12s MPI says that it %s device memory\n", "", mpi_claims_gpu_aware() ? "reads" : "does not read");
}

std::vector<cli::ApplicationTitle> titles() {
    std::vector<cli::ApplicationTitle> all;
    for (const ApplicationEntry& entry : applications()) all.push_back({entry.name, entry.title});
    return all;
}

/// The keys of an application, or those about a word, or those that apply where some of them have given values.
void print_keys(const std::string& name, const std::string& word = "",
                const std::vector<cli::Override>& overrides = {}) {
    if (name.empty()) {
        for (const ApplicationEntry& entry : applications())
            std::printf("strata keys %-14s  %s\n", entry.name.c_str(), entry.title.c_str());
        return;
    }
    const ApplicationEntry& entry = find_application(name);
    cli::InputErrors errors;
    const std::vector<Key> all = cli::keys_with(entry.name, overrides, all_keys(entry), errors),
                           found = cli::keys_about(word, all);
    errors.throw_if_any();
    if (found.empty()) {
        std::vector<std::string> names;
        for (const Key& key : all) names.push_back(key.name.substr(key.name.find('.') + 1));
        throw Error(ExitCode::bad_input, "No key of " + entry.name + " has '" + cli::printable(word) +
                                             "' in its name or meaning." + cli::suggestion(word, names));
    }
    const bool whole = word.empty() && overrides.empty();
    std::fputs(cli::key_table(entry.name, found, whole ? entry.example : "").c_str(), stdout);
}

void print_items(const char* title, const std::vector<MemoryPrediction::Item>& items, std::uint64_t total,
                 const std::string& remark) {
    if (items.empty()) return;
    std::printf("  %s\n", title);
    for (const MemoryPrediction::Item& item : items)
        std::printf("    %-26s %12s\n", item.name.c_str(), human_bytes(item.bytes).c_str());
    std::printf("    %-26s %12s%s\n", "total", human_bytes(total).c_str(), remark.c_str());
}

void print_forecast(const std::string& where, const Forecast& forecast, double seconds_per_step) {
    std::printf("%s\n", where.c_str());
    const Recording& recording = forecast.memory.recording;
    std::vector<MemoryPrediction::Item> host = forecast.memory.host;
    host.push_back({"series, on rank 0", recording.bytes()});
    print_items("host memory of the largest rank", host, saturated_sum(forecast.memory.host_bytes(), recording.bytes()),
                "   free on this node: " + human_bytes(available_memory()));
    print_items("device memory of the largest rank", forecast.memory.device, forecast.memory.device_bytes(), "");
    std::vector<MemoryPrediction::Item> files = {
        {"checkpoint, of all ranks", saturated_sum(forecast.memory.checkpoint_bytes, recording.series_bytes())},
        {"series in the result", recording.series_bytes()}};
    if (forecast.memory.scratch_bytes > 0) files.push_back({"scratch file of a rank", forecast.memory.scratch_bytes});
    std::printf("  disk\n");
    for (const MemoryPrediction::Item& file : files)
        std::printf("    %-26s %12s\n", file.name.c_str(), human_bytes(file.bytes).c_str());
    std::printf("  traffic\n");
    for (const std::string& line : forecast.traffic()) std::printf("    %s\n", line.c_str());
    if (seconds_per_step == 0) return;
    const double seconds = seconds_per_step * static_cast<double>(forecast.steps);
    std::printf("  time, to an order of magnitude\n    %llu %s x %.3g s = %s\n",
                static_cast<unsigned long long>(forecast.steps), forecast.step_name.c_str(), seconds_per_step,
                cli::human_time(seconds).c_str());
}

/// Prints the time and memory of all points of a scan, and the groups of ranks.
void print_scan_plan(const Job& job, int ranks, int threads) {
    const ScanLayout layout = lay_out(job, {ranks, threads}, BackendKind::cpu);
    double all = 0, longest = 0;
    std::size_t unknown = 0;
    for (const double seconds : layout.seconds) {
        all += seconds;
        longest = std::max(longest, seconds);
        if (seconds == 0) ++unknown;
    }
    const int left = ranks - layout.groups.size * layout.groups.count;
    std::printf("  %s\n  %s of %s%s\n", points_text(job.scan).c_str(), counted(layout.groups.count, "group").c_str(),
                counted(layout.groups.size, "rank").c_str(),
                left == 0 ? "" : (", " + counted(left, "rank") + " left over").c_str());
    std::printf("  host memory per rank at point %zu, the largest (%s)\n    %s\n", layout.largest,
                job.scan.label(layout.largest).c_str(), human_bytes(layout.memory.host_bytes()).c_str());
    std::printf("  host memory on rank 0, for the records of all points\n    %s\n",
                human_bytes(layout.records_bytes()).c_str());
    std::printf("  disk\n    %-26s %12s\n", "checkpoints of all groups",
                human_bytes(layout.files.checkpoint_bytes).c_str());
    std::printf("    %-26s %12s\n", "result", human_bytes(layout.file_bytes()).c_str());
    if (unknown == layout.seconds.size()) return;
    // lower bound: the longest point, or the evenly divided sum of all points
    const double ranks_of_point = layout.groups.size;
    std::printf(
        "  time, to an order of magnitude%s\n    %s for all points one after another on 1 rank, %s for the longest\n"
        "    %s on %s\n",
        unknown == 0 ? "" : (", without " + std::to_string(unknown) + " points of unknown cost").c_str(),
        cli::human_time(all).c_str(), cli::human_time(longest).c_str(),
        cli::human_time(std::max(all / (ranks_of_point * layout.groups.count), longest / ranks_of_point)).c_str(),
        counted(ranks, "rank").c_str());
}

void print_plan(const cli::Arguments& arguments) {
    const Job job = read_job(arguments.operand, arguments.overrides);
    if (arguments.plan_ranks.size() > 1 || !arguments.machine.empty() || arguments.form == cli::Form::csv) {
        const prediction::Machine machine =
            arguments.machine.empty() ? prediction::this_machine() : prediction::read_machine(arguments.machine);
        std::fputs(plan_table(job, arguments.plan_ranks, machine, arguments.form).c_str(), stdout);
        return;
    }
    const int ranks = arguments.plan_ranks.empty() ? 1 : arguments.plan_ranks.front();
    const int threads = std::max(1, static_cast<int>(job.config.integer("backend.threads")));
    const std::string& device = job.config.text("backend.device");
    std::printf("strata %s  %s on %s\n", io::program_version().c_str(), job.entry->name.c_str(),
                counted(ranks, "rank").c_str());
    if (!job.scan.empty()) return print_scan_plan(job, ranks, threads);
    const auto forecast = [&](BackendKind backend) {
        return job.entry->forecast(job.config, {ranks, threads}, backend);
    };
    const BackendKind first = device == "cuda" ? BackendKind::cuda : BackendKind::cpu;
    for (const std::string& line : forecast(first).description) std::printf("  %s\n", line.c_str());
    if (device != "cuda") {
        const Forecast host = forecast(first);
        const double seconds =
            host.work ? predict(prediction::reference_machine(threads), host.work(), ranks, threads).seconds()
                      : host.seconds_per_step;
        print_forecast("On the CPU, " + counted(threads, "thread") + " per rank", host, seconds);
    }
    if (device == "cpu" || !job.entry->runs_on(BackendKind::cuda)) return;
    const std::string reason = job.entry->reason_for_cpu(job.config, ranks);
    if (!reason.empty()) {
        std::printf("No GPU is used: %s.\n", reason.c_str());
        return;
    }
    const Forecast on_device = forecast(BackendKind::cuda);
    print_forecast("On a GPU per rank, at the rates of an H100", on_device, on_device.seconds_per_step);
}

/// The name, if it is one of an application. Throws Error(bad_input) with the nearest verb or application.
const std::string& application_or_verb(const std::string& name) {
    std::vector<std::string> names = cli::verb_names();
    for (const ApplicationEntry& entry : applications()) {
        if (entry.name == name) return name;
        names.push_back(entry.name);
    }
    throw Error(ExitCode::bad_input, "'" + cli::printable(name) + "' is neither a verb nor an application of strata." +
                                         cli::suggestion(name, names) + " strata --help lists both.");
}

/// The help of a verb or an application, or of everything.
void print_help(const cli::Arguments& arguments) {
    const auto verb =
        std::ranges::find_if(cli::verb_rows(), [&](const cli::VerbRow& row) { return arguments.help_of == row.name; });
    if (verb != cli::verb_rows().end())
        std::fputs(cli::verb_usage(*verb).c_str(), stdout);
    else if (!arguments.help_of.empty())
        print_keys(application_or_verb(arguments.help_of));
    else
        std::fputs(cli::usage(titles()).c_str(), stdout);
}

void print_manual(const std::string& name) {
    const std::string version = io::program_version();
    if (name.empty()) return static_cast<void>(std::fputs(cli::manual(titles(), version).c_str(), stdout));
    const ApplicationEntry& entry = find_application(name);
    std::fputs(cli::manual_of({entry.name, entry.title}, all_keys(entry), entry.example, version).c_str(), stdout);
}

void print_completion() {
    std::vector<cli::ApplicationKeys> all;
    for (const ApplicationEntry& entry : applications()) all.push_back({entry.name, all_keys(entry)});
    std::fputs(cli::completion(all).c_str(), stdout);
}

/// The verbs that print and need no second rank.
void print(const cli::Arguments& arguments, const Invocation& invocation) {
    switch (arguments.verb) {
        case cli::Verb::version: return print_version();
        case cli::Verb::keys:
            if (!arguments.outputs) return print_keys(arguments.operand, arguments.word, arguments.overrides);
            std::fputs(output_table(find_application(arguments.operand), arguments.word, invocation).c_str(), stdout);
            return;
        case cli::Verb::example: std::fputs(find_application(arguments.operand).example.c_str(), stdout); return;
        case cli::Verb::plan: return print_plan(arguments);
        case cli::Verb::show: return show(arguments);
        case cli::Verb::manual: return print_manual(arguments.operand);
        case cli::Verb::completion: return print_completion();
        case cli::Verb::plot: throw Error(ExitCode::bad_input, "plot is the first word: strata plot NAME.h5 ...");
        default: break;
    }
    print_help(arguments);
}

/// Prints, and throws Error(file) if the output was not written, because it is the only result of these verbs. A reader
/// that closes its pipe early is not an error.
void print_on_root(const cli::Arguments& arguments, const Invocation& invocation) {
    print(arguments, invocation);
    const bool failed = std::fflush(stdout) != 0 || std::ferror(stdout) != 0;
    struct stat facts {};
    const bool pipe = fstat(STDOUT_FILENO, &facts) == 0 && (S_ISFIFO(facts.st_mode) || S_ISSOCK(facts.st_mode));
    if (failed && !pipe)
        throw Error(ExitCode::file, "The output could not be written: is the disk of standard output full?");
}

bool computes(cli::Verb verb) {
    return verb == cli::Verb::run || verb == cli::Verb::resume || verb == cli::Verb::selftest;
}

/// True if the command runs an application, or prints what MPI says of itself.
bool needs_mpi(const cli::Arguments& arguments) {
    return computes(arguments.verb) || arguments.outputs || arguments.verb == cli::Verb::version;
}

}  // namespace

std::optional<int> print_without_mpi(int argc, const char* const* argv, double start) {
    if (started_by_launcher()) return {};
    int exit_code = 0;
    try {
        cli::InputErrors errors;
        const cli::Arguments arguments = cli::parse_arguments(argc, argv, errors);
        errors.throw_if_any();
        if (arguments.verb == cli::Verb::run) static_cast<void>(read_job(arguments.operand, arguments.overrides));
        if (needs_mpi(arguments)) return {};
        print_on_root(arguments, {arguments.quiet ? Verbosity::table_only : Verbosity::full, start, {}});
    } catch (...) {
        with_failure([&](ExitCode code, const char* sentence) {
            print_error(sentence);
            exit_code = static_cast<int>(code);
        });
    }
    return exit_code;
}

int launch(const Communicator& comm, const cli::Arguments& arguments, const std::string& command_line, double start) {
    Invocation invocation = {arguments.quiet ? Verbosity::table_only : Verbosity::full, start, {}};
    if (!computes(arguments.verb)) {
        collectively(comm, [&] {
            if (comm.is_root()) print_on_root(arguments, invocation);
        });
        return 0;
    }
    invocation.batch_end = batch_end();
    invocation.provenance = io::run_facts(comm, command_line);
    if (arguments.verb == cli::Verb::selftest) return selftest(comm, invocation);
    return arguments.verb == cli::Verb::run ? run_job(comm, arguments.operand, arguments.overrides, invocation)
                                            : resume_job(comm, arguments.operand, arguments.overrides, invocation);
}

}  // namespace strata
