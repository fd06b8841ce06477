// SPDX-License-Identifier: BSD-3-Clause
// The only place that chooses between CPU and device, and the only one that sets the numbers of threads.
#include "preflight.hpp"

#include <omp.h>

#include <cstdio>
#include <cstdlib>
#include <optional>

#include "comm/collectives.hpp"
#include "comm/device_binding.hpp"
#include "comm/placement.hpp"
#include "console.hpp"
#include "memory_check.hpp"
#include "strata/error.hpp"

namespace strata {
namespace {

/// The device this job runs on, if it wants one and every rank has one.
std::optional<DeviceBinding> find_device(const Communicator& comm, const Job& job, const Placement& placement,
                                         Verbosity verbosity) {
    const std::string& requested = job.config.text("backend.device");
    if (requested == "cpu" || !job.entry->runs_on(BackendKind::cuda)) return {};
    const bool prints = comm.is_root() && verbosity == Verbosity::full;
    const auto say = [prints](const std::string& reason) {
        if (prints) std::printf("No GPU is used: %s.\n", reason.c_str());
    };
    std::string reason;
    collectively(comm, [&] { reason = job.entry->reason_for_cpu(job.config, comm.size()); });
    if (!reason.empty()) {
        say(reason);
        return {};
    }
    const std::string& aware = job.config.text("backend.gpu-aware");
    DeviceBinding device = bind_device(comm, placement,
                                       aware == "on"    ? GpuAware::on
                                       : aware == "off" ? GpuAware::off
                                                        : GpuAware::automatic);
    if (device.usable) return device;
    if (requested == "cuda")
        throw CollectiveError(ExitCode::does_not_fit, job.config.cite("backend.device") +
                                                          " is not possible: " + device.reason + "; use auto or cpu.");
    say(device.reason);
    return {};
}

int threads_under_way = 0;  ///< while OpenMP creates them for the first time

/// libgomp ends the process by exit(1) where the system refuses a thread; this is the only place to say why.
void explain_refused_threads() {
    if (threads_under_way == 0) return;
    std::fprintf(stderr,
                 "strata: the system does not give %d threads to one process (limits of processes or address space, "
                 "OMP_STACKSIZE); give a smaller backend.threads.\n",
                 threads_under_way);
    std::_Exit(static_cast<int>(ExitCode::does_not_fit));
}

/// Sets the number of threads of this rank and returns how many OpenMP gives on all ranks: fewer than `requested` under
/// OMP_THREAD_LIMIT, and kernels count on every thread that they are told of.
int start_threads(const Communicator& comm, int requested, Verbosity verbosity) {
    static const int registered = std::atexit(explain_refused_threads);
    static_cast<void>(registered);
    omp_set_dynamic(0);
    omp_set_num_threads(requested);
    int given = 1;
    threads_under_way = requested;
#pragma omp parallel
#pragma omp single
    given = omp_get_num_threads();
    threads_under_way = 0;
    given = static_cast<int>(all_min(comm, static_cast<std::uint64_t>(given)));
    omp_set_num_threads(given);
    if (given < requested && comm.is_root() && verbosity == Verbosity::full)
        std::printf("OpenMP gives %d of %d threads per rank (see OMP_THREAD_LIMIT); the run uses these.\n", given,
                    requested);
    return given;
}

/// The devices of the run as one line for the provenance.
std::string joined(const std::vector<std::string>& lines) {
    std::string all;
    for (const std::string& line : lines) all += (all.empty() ? "" : "; ") + line;
    return all;
}

}  // namespace

PreparedRun prepare(const Communicator& comm, const Job& job, const std::string& stem, const Invocation& invocation) {
    const Placement placement = find_placement(comm);
    const int requested = threads_per_rank(comm, placement, static_cast<int>(job.config.integer("backend.threads")));
    const int threads = start_threads(comm, requested, invocation.verbosity);
    const std::optional<DeviceBinding> device = find_device(comm, job, placement, invocation.verbosity);
    const DeviceBinding* bound = device ? &*device : nullptr;
    const auto forecast = [&](int ranks) {
        const BackendKind backend = device ? BackendKind::cuda : BackendKind::cpu;
        return job.entry->forecast(job.config, {ranks, threads, placement.ranks_on_node}, backend).memory;
    };
    const auto next_ranks = [&](int ranks) {
        return job.entry->next_ranks == nullptr ? ranks : job.entry->next_ranks(job.config, ranks);
    };
    const FreeMemory free_memory(comm, placement, bound);  // before the tables of the application take of it
    MemoryPrediction predicted;
    collectively(comm, [&] { predicted = forecast(comm.size()); });
    free_memory.check(predicted, comm.size(), forecast, next_ranks);
    PreparedRun run;
    collectively(comm, [&] { run.application = job.entry->make(comm, job.config, threads, bound); });
    predicted.recording.columns = run.application->columns().size();
    run.options = {
        job.config,         job.text, stem, threads, invocation.verbosity, invocation.start, invocation.provenance,
        predicted.recording};
    const bool prints = comm.is_root() && invocation.verbosity == Verbosity::full;
    if (prints) print_head(job, *run.application, placement, comm.size(), run.options);
    if (device) {
        const std::vector<std::string> lines = device_lines(comm, *device, 8);
        if (prints) print_devices(*device, lines);
        run.options.provenance.push_back({"devices", joined(lines)});
    }
    MemoryPrediction exact = of_largest_rank(comm, run.application->memory());
    exact.recording = predicted.recording;
    free_memory.check(exact, comm.size(), forecast, next_ranks);
    return run;
}

}  // namespace strata
