// SPDX-License-Identifier: BSD-3-Clause
// Dispatch of the verbs: verbs that compute run on all ranks; verbs that print run on rank 0 while the others wait.
#include "verbs/launch.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "cli/help.hpp"
#include "cli/manual.hpp"
#include "comm/collectives.hpp"
#include "comm/device_exchange.hpp"
#include "comm/session.hpp"
#include "io/provenance.hpp"
#include "report/table.hpp"
#include "run/console.hpp"
#include "strata/device.hpp"
#include "strata/error.hpp"
#include "strata/failure.hpp"
#include "strata/printable.hpp"
#include "strata/profiler.hpp"
#include "study/registry.hpp"
#include "study/run_study.hpp"
#include "study/study_source.hpp"
#include "verbs/keys.hpp"
#include "verbs/outputs.hpp"
#include "verbs/plan_console.hpp"
#include "verbs/ready_jobs.hpp"
#include "verbs/selftest.hpp"
#include "verbs/show.hpp"

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
    else if (arguments.help_of.empty())
        std::fputs(cli::usage(titles()).c_str(), stdout);
    else {
        cli::Arguments keys;
        keys.operand = application_or_verb(arguments.help_of);
        print_keys(keys);
    }
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
        case cli::Verb::keys: return arguments.outputs ? print_outputs(arguments, invocation) : print_keys(arguments);
        case cli::Verb::example: return print_example(arguments.operand);
        case cli::Verb::plan: return print_plan(arguments);
        case cli::Verb::show: return show(arguments);
        case cli::Verb::manual: return print_manual(arguments.operand);
        case cli::Verb::completion: return print_completion();
        case cli::Verb::plot:
        case cli::Verb::fit:
        case cli::Verb::scale:
            throw Error(ExitCode::bad_input, "plot, fit and scale are first words: strata plot NAME.h5 ...");
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
    return verb == cli::Verb::run || verb == cli::Verb::resume || verb == cli::Verb::measure ||
           verb == cli::Verb::selftest;
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
    const auto open = arguments.verb == cli::Verb::run      ? open_job
                      : arguments.verb == cli::Verb::resume ? open_resumed
                                                            : open_measured;
    Source source = open(comm, arguments.operand, arguments.overrides);
    return run_study(comm, source, invocation);
}

}  // namespace strata
