// SPDX-License-Identifier: BSD-3-Clause
#include "job_launch.hpp"

#include <omp.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <optional>

#include "cli/job_file.hpp"
#include "cli/progress.hpp"
#include "cli/table.hpp"
#include "comm/collectives.hpp"
#include "comm/device_binding.hpp"
#include "io/checkpoint_file.hpp"
#include "io/files.hpp"
#include "io/lock_file.hpp"
#include "io/provenance.hpp"
#include "io/result_file.hpp"
#include "memory_check.hpp"
#include "output_files.hpp"
#include "strata/error.hpp"
#include "strata/memory.hpp"

namespace strata {
namespace {

std::string counted(int count, const std::string& singular) {
    return std::to_string(count) + " " + singular + (count == 1 ? "" : "s");
}

/// The device this job runs on, if it wants one and every rank has one.
std::optional<DeviceBinding> find_device(const Communicator& comm, const Job& job, const Placement& placement,
                                         Verbosity verbosity) {
    const std::string& requested = job.config.text("backend.device");
    if (requested == "cpu" || !job.entry->runs_on(BackendKind::cuda)) return {};
    const std::string& aware = job.config.text("backend.gpu-aware");
    DeviceBinding device = bind_device(comm, placement,
                                       aware == "on"    ? GpuAware::on
                                       : aware == "off" ? GpuAware::off
                                                        : GpuAware::automatic);
    if (device.usable) return device;
    if (requested == "cuda")
        throw CollectiveError(ExitCode::does_not_fit, job.config.cite("backend.device") +
                                                          " is not possible: " + device.reason + "; use auto or cpu.");
    if (comm.is_root() && verbosity == Verbosity::full) std::printf("No GPU is used: %s.\n", device.reason.c_str());
    return {};
}

void print_devices(const DeviceBinding& device, const std::vector<std::string>& lines) {
    for (const std::string& line : lines) std::printf("  %s\n", line.c_str());
    const std::string warning = shared_device(device);
    if (!warning.empty()) std::printf("  warning: %s\n", warning.c_str());
    if (!device.remark.empty()) std::printf("  %s\n", device.remark.c_str());
    if (lines.size() > 1)
        std::printf("  device memory goes to other ranks %s\n",
                    device.route == DeviceRoute::direct ? "through MPI directly" : "through pinned host memory");
}

/// On the screen and in the provenance. Collective.
void report_devices(const Communicator& comm, const DeviceBinding& device, RunOptions& options) {
    const std::vector<std::string> lines = device_lines(comm, device, 8);
    if (comm.is_root() && options.verbosity == Verbosity::full) print_devices(device, lines);
    std::string all;
    for (const std::string& line : lines) all += (all.empty() ? "" : "; ") + line;
    options.provenance.push_back({"devices", all});
}

void print_head(const Communicator& comm, const Job& job, const Application& application, const Placement& placement,
                int threads) {
    std::printf("strata %s  %s\n", io::program_version().c_str(), job.entry->name.c_str());
    for (const std::string& line : application.description()) std::printf("  %s\n", line.c_str());
    std::printf("  %s x %s on %s, %s\n", counted(comm.size(), "rank").c_str(), counted(threads, "thread").c_str(),
                counted(placement.nodes, "node").c_str(), application.backend().c_str());
    const MemoryPrediction memory = application.memory();
    std::printf("  memory %s per rank; %s free on this node\n", human_bytes(memory.host_bytes()).c_str(),
                human_bytes(available_memory()).c_str());
    if (memory.device_bytes() != 0)
        std::printf("  device memory %s per rank\n", human_bytes(memory.device_bytes()).c_str());
    const std::string warning = oversubscription(placement, threads);
    if (!warning.empty()) std::printf("  warning: %s\n", warning.c_str());
    std::fflush(stdout);
}

void print_end(const RunOptions& options, const Report& report) {
    const auto colour = cli::stdout_is_terminal() ? cli::Colour::on : cli::Colour::off;
    std::printf("%s%s", options.verbosity == Verbosity::full ? "\n" : "", cli::result_table(report, colour).c_str());
    if (options.verbosity == Verbosity::table_only) return;
    std::printf("\n%s\n", cli::timer_table(report).c_str());
    std::printf("Files\n");
    for (const std::string& path : {options.result_path(), options.checkpoint_path()})
        if (io::exists(path)) std::printf("  %s\n", path.c_str());
    std::printf("state_hash %s\n", report.state_hash.c_str());
    if (report.complete)
        std::printf("Done: %llu steps.\n", static_cast<unsigned long long>(report.steps));
    else
        std::printf("Stopped cleanly after %llu of %llu steps. Go on with: strata resume %s\n",
                    static_cast<unsigned long long>(report.steps), static_cast<unsigned long long>(report.total_steps),
                    options.checkpoint_path().c_str());
}

/// Exit code of a run whose steps are all made, or which was stopped; says what is missing. Collective.
int finish_code(const Communicator& comm, const Application& application, bool complete, const std::string& unsaved) {
    const std::string shortfall = application.shortfall();
    int code = complete && !shortfall.empty() ? static_cast<int>(ExitCode::numerical) : 0;
    if (!unsaved.empty()) code = static_cast<int>(ExitCode::file);
    broadcast(comm, code);  // the report is rank 0's
    if (comm.is_root() && code != 0)
        std::fprintf(stderr, "strata: %s\n", unsaved.empty() ? shortfall.c_str() : unsaved.c_str());
    return code;
}

int run_and_report(const Communicator& comm, Application& application, const RunOptions& options,
                   const io::StoredCheckpoint* stored) {
    const Report report = run(comm, application, options, stored);
    if (comm.is_root() && options.verbosity != Verbosity::silent) print_end(options, report);
    return finish_code(comm, application, report.complete, report.unsaved);
}

/// The job a checkpoint was written for, with the overrides laid over it.
Job job_of(const io::CheckpointHeader& header, const std::vector<cli::Override>& overrides) {
    Job job{&find_application(header.application), {}, header.job_text};
    const Config before = cli::from_canonical_text(header.job, all_keys(*job.entry));
    cli::InputErrors errors;
    job.config = cli::override_for_resume(before, overrides, errors);
    errors.throw_if_any();
    for (const std::string& error : validate(*job.entry, job.config)) errors.add(error);
    for (const std::string& error : job.entry->validate_resume(before, job.config)) errors.add(error);
    check_names(job.config, errors);
    errors.throw_if_any();
    return job;
}

/// Loads the newest checkpoint whose state is good too.
void restore(const Communicator& comm, Application& application, const Job& job, const std::string& path,
             io::StoredCheckpoint& stored, std::vector<std::string>& rejections) {
    for (;;) {
        try {
            std::vector<ArrayShape> shapes;
            for (const io::StoredArray& array : stored.arrays) shapes.push_back(array.shape);
            application.prepare_state(shapes);
            io::read_state(comm, stored, application.state());
            application.restored(stored.header.step);
            return;
        } catch (const CollectiveError& error) {
            rejections.emplace_back(error.what());
            if (comm.is_root()) std::fprintf(stderr, "strata: %s\n", error.what());
        }
        stored = io::open_checkpoint(comm, path, stored.age + 1, rejections);
        const Config before = cli::from_canonical_text(stored.header.job, all_keys(*job.entry));
        if (cli::physics_text(before) != cli::physics_text(job.config))
            throw CollectiveError(ExitCode::file,
                                  stored.path + " belongs to another job than the damaged checkpoint after it.");
    }
}

/// True if the result file is that of the restored state. On rank 0.
bool has_result(const RunOptions& options, const io::StoredCheckpoint& stored) {
    try {
        const Report report = io::read_result(options.result_path());
        return report.complete && report.steps == stored.header.step && report.state_hash == stored.header.state_hash;
    } catch (const Error&) {
        return false;
    }
}

/// True, and said, if all steps are made and their result is written; throws if there are more than were asked for.
/// For a restored application: before, some do not know how many steps they will make. Collective.
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
            "Nothing to do: all %llu steps are made. strata show %s has the results; --run.sweeps or the like makes "
            "more.\n",
            static_cast<unsigned long long>(made), options.result_path().c_str());
    return nothing;
}

enum class Claim { own, fresh };

/// Takes the lock of the run's files on rank 0, removes leftovers, and refuses fresh files that exist or a disk that is
/// too small. Collective.
io::LockFile claim_output(const Communicator& comm, const Application& application, const RunOptions& options,
                          Claim claim) {
    io::LockFile lock;
    collectively(comm, [&] {
        if (!comm.is_root()) return;
        io::make_directory(directory_of(options.stem));
        lock = io::LockFile(options.stem);
        if (claim == Claim::fresh) refuse_existing(options);
        remove_leftovers(options);
        check_disk(options, application.memory().checkpoint_bytes);
    });
    return lock;
}

/// Removes the files of an earlier run, which output.overwrite allows. Collective.
void make_way(const Communicator& comm, const RunOptions& options) {
    collectively(comm, [&] {
        if (comm.is_root()) remove_existing(options);
    });
}

}  // namespace

Job read_job_from_text(const std::string& name, const std::string& text, const std::vector<cli::Override>& overrides) {
    cli::InputErrors errors;
    const cli::JobFile file = cli::parse_job(name, text, errors);
    std::vector<std::string> names;
    for (const ApplicationEntry& entry : applications()) names.push_back(entry.name);
    const std::string application = cli::application_of(file, names, errors);
    if (application.empty()) errors.throw_if_any();
    Job job{&find_application(application), {}, file.text};
    job.config = cli::resolve(application, file, overrides, all_keys(*job.entry), errors);
    if (errors.empty())
        for (const std::string& error : validate(*job.entry, job.config)) errors.add(error);
    check_names(job.config, errors);
    errors.throw_if_any();
    return job;
}

Job read_job(const std::string& path, const std::vector<cli::Override>& overrides) {
    return read_job_from_text(path, cli::read_job_text(path), overrides);
}

void share_job(const Communicator& comm, Job& job) {
    std::string canonical = comm.is_root() ? cli::canonical_text(job.config) : "";
    broadcast(comm, canonical);
    broadcast(comm, job.text);
    collectively(comm, [&] {
        if (comm.is_root()) return;
        const std::size_t tab = canonical.find('\t');
        job.entry = &find_application(canonical.substr(tab + 1, canonical.find('\n') - tab - 1));
        job.config = cli::from_canonical_text(canonical, all_keys(*job.entry));
    });
    if (!same_on_all_ranks(comm, cli::digest(cli::canonical_text(job.config) + io::program_version())))
        throw CollectiveError(ExitCode::bad_input,
                              "The ranks do not hold the same job: is the same program started on all of them?");
}

std::unique_ptr<Application> prepare(const Communicator& comm, const Job& job, RunOptions& options) {
    const Placement placement = find_placement(comm);
    options.config = job.config;
    options.job_text = job.text;
    options.threads = threads_per_rank(comm, placement, static_cast<int>(job.config.integer("backend.threads")));
    omp_set_dynamic(0);
    omp_set_num_threads(options.threads);
    const std::optional<DeviceBinding> device = find_device(comm, job, placement, options.verbosity);
    const DeviceBinding* bound = device ? &*device : nullptr;
    const auto forecast = [&](int ranks) {
        const BackendKind backend = device ? BackendKind::cuda : BackendKind::cpu;
        return job.entry->forecast(job.config, {ranks, options.threads, placement.ranks_on_node}, backend).memory;
    };
    const FreeMemory free_memory(comm, placement, bound);  // before the tables of the application take of it
    MemoryPrediction predicted;
    collectively(comm, [&] { predicted = forecast(comm.size()); });
    free_memory.check(predicted, comm.size(), forecast);
    std::unique_ptr<Application> application;
    collectively(comm, [&] { application = job.entry->make(comm, job.config, options.threads, bound); });
    const bool talks = comm.is_root() && options.verbosity == Verbosity::full;
    if (talks) print_head(comm, job, *application, placement, options.threads);
    if (device) report_devices(comm, *device, options);
    free_memory.check(of_largest_rank(comm, application->memory()), comm.size(), forecast);
    return application;
}

int run_job(const Communicator& comm, const std::string& path, const std::vector<cli::Override>& overrides,
            RunOptions options) {
    Job job;
    collectively(comm, [&] {
        if (comm.is_root()) job = read_job(path, overrides);
    });
    share_job(comm, job);
    collectively(comm, [&] { options.stem = stem_of(job.config, path); });
    const std::unique_ptr<Application> application = prepare(comm, job, options);
    const io::LockFile lock = claim_output(comm, *application, options, Claim::fresh);
    application->allocate();
    make_way(comm, options);
    return run_and_report(comm, *application, options, nullptr);
}

int resume_job(const Communicator& comm, const std::string& path, const std::vector<cli::Override>& overrides,
               RunOptions options) {
    std::vector<std::string> rejections;
    std::string origin;
    collectively(comm, [&] { origin = stem_of_checkpoint(path); });
    io::StoredCheckpoint stored = io::open_checkpoint(comm, path, 0, rejections);
    if (comm.is_root())
        for (const std::string& rejection : rejections) std::fprintf(stderr, "strata: %s\n", rejection.c_str());
    Job job;
    collectively(comm, [&] {
        if (comm.is_root()) job = job_of(stored.header, overrides);
    });
    share_job(comm, job);
    if (comm.is_root())
        for (const std::string& change : cli::changed_files(job.config))
            std::fprintf(stderr, "strata: %s\n", change.c_str());
    const bool renamed = std::ranges::any_of(
        overrides, [](const cli::Override& o) { return o.key == "output.directory" || o.key == "output.name"; });
    options.stem = origin;
    if (renamed)
        collectively(comm, [&] {
            options.stem = stem_of(job.config, std::filesystem::path(origin).filename().string() + ".ini");
        });
    const std::unique_ptr<Application> application = prepare(comm, job, options);
    // the files of the run that is resumed are its own, and no obstacle
    auto claim = comm.is_root() && same_files(origin, options.stem) ? Claim::own : Claim::fresh;
    broadcast(comm, claim);
    const io::LockFile lock = claim_output(comm, *application, options, claim);
    application->allocate();
    restore(comm, *application, job, path, stored, rejections);
    if (nothing_to_do(comm, *application, stored, options)) return finish_code(comm, *application, true, {});
    if (claim == Claim::fresh) make_way(comm, options);
    if (comm.is_root() && options.verbosity == Verbosity::full)
        std::printf("  resuming %s after %llu steps\n", stored.path.c_str(),
                    static_cast<unsigned long long>(stored.header.step));
    return run_and_report(comm, *application, options, &stored);
}

}  // namespace strata
