// SPDX-License-Identifier: BSD-3-Clause
#include "job_launch.hpp"

#include <omp.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <functional>
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
#include "strata/error.hpp"
#include "strata/memory.hpp"

namespace strata {
namespace {

std::string counted(int count, const std::string& singular) {
    return std::to_string(count) + " " + singular + (count == 1 ? "" : "s");
}

/// Path of the run's files without endings.
std::string stem_of(const Config& config, const std::string& job_path) {
    std::string name = config.text("output.name");
    if (name.empty()) name = std::filesystem::path(job_path).stem().string();
    return (std::filesystem::path(config.text("output.directory")) / name).string();
}

std::string directory_of(const std::string& stem) {
    const std::string directory = std::filesystem::path(stem).parent_path().string();
    return directory.empty() ? "." : directory;
}

void check_names(const Config& config, cli::Faults& faults) {
    const std::string& name = config.text("output.name");
    if (name.find('/') != std::string::npos || name == "." || name == "..")
        faults.add(config.cite("output.name") + " must be a plain file name; the place is output.directory.");
    if (config.text("output.directory").empty())
        faults.add("output.directory must not be empty; use . for the current directory.");
}

/// Makes room for the run's files, or refuses: nothing of an earlier run is touched unless asked for.
void claim_output(const RunSetting& setting) {
    const bool overwrite = setting.config.yes("output.overwrite");
    for (const std::string& path : {setting.result_path(), setting.checkpoint_path()})
        if (io::exists(path) && !overwrite)
            throw Error(
                ExitCode::bad_input,
                path +
                    " exists. Choose another output.name, allow --output.overwrite=yes, or go on with: strata resume " +
                    setting.checkpoint_path());
    if (!overwrite) return;
    std::error_code ignored;
    std::filesystem::remove(setting.result_path(), ignored);
    for (int age = 0; io::exists(io::older_checkpoint(setting.checkpoint_path(), age)); ++age)
        std::filesystem::remove(io::older_checkpoint(setting.checkpoint_path(), age), ignored);
}

/// The checkpoints that will be kept, and the one being written, must fit on the disk now.
void check_disk(const RunSetting& setting, std::uint64_t checkpoint_bytes) {
    if (setting.config.seconds("checkpoint.interval") == 0) return;
    const auto copies = static_cast<std::uint64_t>(setting.config.integer("checkpoint.keep")) + 1;
    const std::uint64_t available = io::free_disk(setting.result_path());
    if (copies * checkpoint_bytes <= available) return;
    throw Error(ExitCode::does_not_fit, "A checkpoint takes " + human_bytes(checkpoint_bytes) + " and " +
                                            std::to_string(copies) +
                                            " must fit (checkpoint.keep and the one being written), but only " +
                                            human_bytes(available) + " are free beside " + setting.result_path() + ".");
}

/// Smallest number of ranks, as many per node and device as now, on which a rank's share fits; 0 if there is none.
int fitting_ranks(int ranks, const std::function<bool(int ranks)>& fits) {
    for (int more = ranks; more <= (1 << 24); more += std::max(ranks, more / 2)) {
        try {
            if (fits(more)) return more;
        } catch (const Error& error) {
            if (error.code() == ExitCode::bad_input) return 0;  // more ranks than the lattice has layers
        }
    }
    return 0;
}

void check_device_memory(const Communicator& comm, const Job& job, const Application& application,
                         const DeviceBinding& device) {
    const std::uint64_t needed = all_max(comm, application.memory().device_bytes());
    const auto sharing = all_max(comm, static_cast<std::uint64_t>(device.ranks_on_device));
    const std::uint64_t available = all_min(comm, device::free_memory());
    if (needed * sharing <= available) return;
    const int ranks = fitting_ranks(comm.size(), [&](int more) {
        return job.entry->forecast(job.config, more, 1, BackendKind::cuda).memory.device_bytes() * sharing <= available;
    });
    throw AgreedError(ExitCode::does_not_fit,
                      "The run needs " + human_bytes(needed) + " of device memory per rank, with " +
                          counted(static_cast<int>(sharing), "rank") + " on a device, and " + human_bytes(available) +
                          " are free there. " +
                          (ranks > 0 ? "With as many ranks per device, " + std::to_string(ranks) + " ranks would fit; "
                                     : std::string("No number of ranks makes it fit; ")) +
                          "backend.device = cpu takes host memory instead.");
}

void check_memory(const Communicator& comm, const Job& job, const Application& application, const Placement& placement,
                  int threads, BackendKind backend) {
    const std::uint64_t needed = all_max(comm, application.memory().host_bytes());
    const std::uint64_t available = all_min(comm, available_memory());
    if (available == 0 || needed * static_cast<std::uint64_t>(placement.ranks_on_node) <= available) return;
    const int ranks = fitting_ranks(comm.size(), [&](int more) {
        return job.entry->forecast(job.config, more, threads, backend).memory.host_bytes() *
                   static_cast<std::uint64_t>(placement.ranks_on_node) <=
               available;
    });
    throw AgreedError(ExitCode::does_not_fit,
                      "The run needs " + human_bytes(needed) + " per rank, with " +
                          counted(placement.ranks_on_node, "rank") + " on a node, and " + human_bytes(available) +
                          " are free there. " +
                          (ranks > 0 ? "With as many ranks per node, " + std::to_string(ranks) + " ranks would fit."
                                     : "No number of ranks makes it fit with as many on a node; use fewer per node."));
}

/// The device this job runs on, if it wants one and every rank has one.
std::optional<DeviceBinding> find_device(const Communicator& comm, const Job& job, const Placement& placement,
                                         Talk talk) {
    const std::string& wish = job.config.text("backend.device");
    if (wish == "cpu" || !job.entry->runs_on(BackendKind::cuda)) return {};
    const std::string& aware = job.config.text("backend.gpu-aware");
    DeviceBinding device = bind_device(comm, placement,
                                       aware == "on"    ? GpuAware::on
                                       : aware == "off" ? GpuAware::off
                                                        : GpuAware::automatic);
    if (device.usable) return device;
    if (wish == "cuda")
        throw AgreedError(ExitCode::does_not_fit, job.config.cite("backend.device") +
                                                      " is not possible: " + device.reason + "; use auto or cpu.");
    if (comm.is_root() && talk == Talk::full) std::printf("No GPU is used: %s.\n", device.reason.c_str());
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

void print_end(const RunSetting& setting, const Report& report) {
    const auto colour = cli::stdout_is_terminal() ? cli::Colour::on : cli::Colour::off;
    std::printf("%s%s", setting.talk == Talk::full ? "\n" : "", cli::result_table(report, colour).c_str());
    if (setting.talk == Talk::table_only) return;
    std::printf("\n%s\n", cli::timer_table(report).c_str());
    std::printf("Files\n  %s\n", setting.result_path().c_str());
    if (io::exists(setting.checkpoint_path())) std::printf("  %s\n", setting.checkpoint_path().c_str());
    std::printf("state_hash %s\n", report.state_hash.c_str());
    if (report.complete)
        std::printf("Done: %llu steps.\n", static_cast<unsigned long long>(report.steps));
    else
        std::printf("Stopped cleanly after %llu of %llu steps. Go on with: strata resume %s\n",
                    static_cast<unsigned long long>(report.steps), static_cast<unsigned long long>(report.total_steps),
                    setting.checkpoint_path().c_str());
}

int run_and_report(const Communicator& comm, Application& application, const RunSetting& setting,
                   const io::StoredCheckpoint* stored) {
    const Report report = run(comm, application, setting, stored);
    if (comm.is_root() && setting.talk != Talk::silent) print_end(setting, report);
    const std::string shortfall = application.shortfall();
    int code = report.complete && !shortfall.empty() ? static_cast<int>(ExitCode::numerical) : 0;
    broadcast(comm, code);  // the report is rank 0's
    if (comm.is_root() && code != 0) std::fprintf(stderr, "strata: %s\n", shortfall.c_str());
    return code;
}

/// The job a checkpoint was written for, with the overrides laid over it.
Job job_of(const io::CheckpointHeader& header, const std::vector<cli::Override>& overrides) {
    Job job{&find_application(header.application), {}, header.job_text};
    const Config before = cli::from_canonical_text(header.job, all_keys(*job.entry));
    cli::Faults faults;
    job.config = cli::override_for_resume(before, overrides, faults);
    faults.throw_if_any();
    for (const std::string& fault : job.entry->faults(job.config)) faults.add(fault);
    for (const std::string& fault : job.entry->resume_faults(before, job.config)) faults.add(fault);
    check_names(job.config, faults);
    faults.throw_if_any();
    return job;
}

/// NAME of NAME.checkpoint.h5 or NAME.checkpoint.1.h5, with its directory.
std::string stem_of_checkpoint(const std::string& path) {
    const std::size_t mark = path.rfind(".checkpoint.");
    if (mark == std::string::npos)
        throw Error(ExitCode::bad_input,
                    "'" + cli::printable(path) + "' is not named like a checkpoint, NAME.checkpoint.h5.");
    return path.substr(0, mark);
}

/// Loads the newest checkpoint whose state is good too.
void restore(const Communicator& comm, Application& application, const Job& job, const std::string& path,
             io::StoredCheckpoint& stored, std::vector<std::string>& refusals) {
    for (;;) {
        try {
            io::read_state(comm, stored, application.state());
            application.restored(stored.header.step);
            return;
        } catch (const AgreedError& error) {
            refusals.emplace_back(error.what());
            if (comm.is_root()) std::fprintf(stderr, "strata: %s\n", error.what());
        }
        stored = io::open_checkpoint(comm, path, stored.age + 1, refusals);
        const Config before = cli::from_canonical_text(stored.header.job, all_keys(*job.entry));
        if (cli::physics_text(before) != cli::physics_text(job.config))
            throw AgreedError(ExitCode::file,
                              stored.path + " belongs to another job than the damaged checkpoint after it.");
    }
}

/// True, and said, if all steps are made; throws if there are more than were asked for.
bool nothing_to_do(const Communicator& comm, const Application& application, const io::StoredCheckpoint& stored,
                   const RunSetting& setting) {
    const std::uint64_t total = application.total_steps(), made = stored.header.step;
    if (total < made)
        throw AgreedError(ExitCode::bad_input, stored.path + " has " + std::to_string(made) +
                                                   " steps already, more than the " + std::to_string(total) +
                                                   " asked for.");
    if (total > made) return false;
    if (comm.is_root())
        std::printf(
            "Nothing to do: all %llu steps are made. strata show %s has the results; --run.sweeps or the like makes "
            "more.\n",
            static_cast<unsigned long long>(made), setting.result_path().c_str());
    return true;
}

}  // namespace

Job read_job_from_text(const std::string& name, const std::string& text, const std::vector<cli::Override>& overrides) {
    cli::Faults faults;
    const cli::JobFile file = cli::parse_job(name, text, faults);
    std::vector<std::string> names;
    for (const ApplicationEntry& entry : applications()) names.push_back(entry.name);
    const std::string application = cli::application_of(file, names, faults);
    if (application.empty()) faults.throw_if_any();
    Job job{&find_application(application), {}, file.text};
    job.config = cli::resolve(application, file, overrides, all_keys(*job.entry), faults);
    if (faults.empty())
        for (const std::string& fault : job.entry->faults(job.config)) faults.add(fault);
    check_names(job.config, faults);
    faults.throw_if_any();
    return job;
}

Job read_job(const std::string& path, const std::vector<cli::Override>& overrides) {
    return read_job_from_text(path, cli::read_job_text(path), overrides);
}

void share_job(const Communicator& comm, Job& job) {
    std::string canonical = comm.is_root() ? cli::canonical_text(job.config) : "";
    broadcast(comm, canonical);
    broadcast(comm, job.text);
    agreed(comm, [&] {
        if (comm.is_root()) return;
        const std::size_t tab = canonical.find('\t');
        job.entry = &find_application(canonical.substr(tab + 1, canonical.find('\n') - tab - 1));
        job.config = cli::from_canonical_text(canonical, all_keys(*job.entry));
    });
    if (!same_on_all_ranks(comm, cli::digest(cli::canonical_text(job.config) + io::program_version())))
        throw AgreedError(ExitCode::bad_input,
                          "The ranks do not hold the same job: is the same program started on all of them?");
}

std::unique_ptr<Application> prepare(const Communicator& comm, const Job& job, RunSetting& setting) {
    const Placement placement = find_placement(comm);
    setting.config = job.config;
    setting.job_text = job.text;
    setting.threads = threads_per_rank(comm, placement, static_cast<int>(job.config.integer("backend.threads")));
    omp_set_dynamic(0);
    omp_set_num_threads(setting.threads);
    const std::optional<DeviceBinding> device = find_device(comm, job, placement, setting.talk);
    const BackendKind backend = device ? BackendKind::cuda : BackendKind::cpu;
    std::unique_ptr<Application> application;
    agreed(comm,
           [&] { application = job.entry->make(comm, job.config, setting.threads, device ? &*device : nullptr); });
    const bool talks = comm.is_root() && setting.talk == Talk::full;
    if (talks) print_head(comm, job, *application, placement, setting.threads);
    if (device) {
        const std::vector<std::string> lines = device_lines(comm, *device, 8);
        if (talks) print_devices(*device, lines);
        std::string all;
        for (const std::string& line : lines) all += (all.empty() ? "" : "; ") + line;
        setting.provenance.push_back({"devices", all});
        check_device_memory(comm, job, *application, *device);
    }
    check_memory(comm, job, *application, placement, setting.threads, backend);
    return application;
}

int run_job(const Communicator& comm, const std::string& path, const std::vector<cli::Override>& overrides,
            RunSetting setting) {
    Job job;
    agreed(comm, [&] {
        if (comm.is_root()) job = read_job(path, overrides);
    });
    share_job(comm, job);
    setting.stem = stem_of(job.config, path);
    const std::unique_ptr<Application> application = prepare(comm, job, setting);
    io::LockFile lock;
    agreed(comm, [&] {
        if (!comm.is_root()) return;
        io::make_directory(directory_of(setting.stem));
        lock = io::LockFile(setting.stem);
        claim_output(setting);
        check_disk(setting, application->memory().checkpoint_bytes);
    });
    application->allocate();
    return run_and_report(comm, *application, setting, nullptr);
}

int resume_job(const Communicator& comm, const std::string& path, const std::vector<cli::Override>& overrides,
               RunSetting setting) {
    std::vector<std::string> refusals;
    agreed(comm, [&] { setting.stem = stem_of_checkpoint(path); });
    io::StoredCheckpoint stored = io::open_checkpoint(comm, path, 0, refusals);
    if (comm.is_root())
        for (const std::string& refusal : refusals) std::fprintf(stderr, "strata: %s\n", refusal.c_str());
    Job job;
    agreed(comm, [&] {
        if (comm.is_root()) job = job_of(stored.header, overrides);
    });
    share_job(comm, job);
    if (comm.is_root())
        for (const std::string& change : cli::changed_files(job.config))
            std::fprintf(stderr, "strata: %s\n", change.c_str());
    const bool elsewhere = std::ranges::any_of(
        overrides, [](const cli::Override& o) { return o.key == "output.directory" || o.key == "output.name"; });
    const std::string origin = setting.stem;
    if (elsewhere) setting.stem = stem_of(job.config, std::filesystem::path(setting.stem).filename().string() + ".ini");
    const std::unique_ptr<Application> application = prepare(comm, job, setting);
    if (nothing_to_do(comm, *application, stored, setting)) return 0;
    io::LockFile lock;
    agreed(comm, [&] {
        if (!comm.is_root()) return;
        io::make_directory(directory_of(setting.stem));
        lock = io::LockFile(setting.stem);
        // the files of the run that is resumed are never claimed: they would be removed
        if (!std::filesystem::equivalent(directory_of(origin), directory_of(setting.stem)) ||
            std::filesystem::path(origin).filename() != std::filesystem::path(setting.stem).filename())
            claim_output(setting);
        io::remove_leftovers(setting.checkpoint_path());
        check_disk(setting, application->memory().checkpoint_bytes);
    });
    application->allocate();
    restore(comm, *application, job, path, stored, refusals);
    if (nothing_to_do(comm, *application, stored, setting)) return 0;  // some know it only now
    if (comm.is_root() && setting.talk == Talk::full)
        std::printf("  resuming %s after %llu steps\n", stored.path.c_str(),
                    static_cast<unsigned long long>(stored.header.step));
    return run_and_report(comm, *application, setting, &stored);
}

}  // namespace strata
