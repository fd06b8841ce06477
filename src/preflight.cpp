// SPDX-License-Identifier: BSD-3-Clause
// Preparation of a run: the only place that chooses between CPU and device and sets the numbers of threads.
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
#include "strata/printable.hpp"

namespace strata {
namespace {

/// The device of this rank if the job permits devices and every rank has one, else nothing and the reason. Throws
/// CollectiveError if backend.device = cuda is not possible. Collective.
std::optional<DeviceBinding> find_device(const Communicator& comm, const Job& job, const Placement& placement,
                                         std::string& reason) {
    const std::string& requested = job.config.text("backend.device");
    if (requested == "cpu" || !job.entry->runs_on(BackendKind::cuda)) return {};
    collectively(comm, [&] { reason = job.entry->reason_for_cpu(job.config, comm.size()); });
    if (!reason.empty()) return {};
    const std::string& aware = job.config.text("backend.gpu-aware");
    DeviceBinding device = bind_device(comm, placement,
                                       aware == "on"    ? GpuAware::on
                                       : aware == "off" ? GpuAware::off
                                                        : GpuAware::automatic);
    if (device.usable) return device;
    if (requested == "cuda")
        throw CollectiveError(ExitCode::does_not_fit, job.config.cite("backend.device") +
                                                          " is not possible: " + device.reason + "; use auto or cpu.");
    reason = device.reason;
    return {};
}

int threads_under_way = 0;  ///< number of threads that OpenMP is creating; 0 otherwise

/// Exit handler. libgomp calls exit(1) if the system refuses a thread; only here the reason can be printed.
void explain_refused_threads() {
    if (threads_under_way == 0) return;
    std::fprintf(stderr,
                 "strata: the system does not give %d threads to one process (limits of processes or address space, "
                 "OMP_STACKSIZE); give a smaller backend.threads.\n",
                 threads_under_way);
    std::_Exit(static_cast<int>(ExitCode::does_not_fit));
}

/// Sets the number of threads of this rank and returns the number that OpenMP provides on all ranks. It is smaller than
/// `requested` under OMP_THREAD_LIMIT; the kernels require every thread that they are given. Collective.
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

Machine survey(const Communicator& comm, const Job& job, Verbosity verbosity) {
    const Placement placement = find_placement(comm);
    const int requested = threads_per_rank(comm, placement, static_cast<int>(job.config.integer("backend.threads")));
    const int threads = start_threads(comm, requested, verbosity);
    if (const char* unused = std::getenv("OMP_NUM_THREADS"); unused != nullptr && std::to_string(threads) != unused)
        if (comm.is_root() && verbosity == Verbosity::full)
            std::printf("OMP_NUM_THREADS = %s is not used: backend.threads sets the threads.\n",
                        printable(unused).c_str());
    if (job.entry->reserve_memory != nullptr) collectively(comm, [&] { job.entry->reserve_memory(threads); });
    std::string no_device;
    const std::optional<DeviceBinding> device = find_device(comm, job, placement, no_device);
    return {placement, threads, device, FreeMemory(comm, placement, device ? &*device : nullptr), no_device};
}

PreparedRun prepare(const Communicator& comm, const Job& job, const std::string& stem, const Machine& machine,
                    const Invocation& invocation) {
    std::string stays_on_cpu;
    collectively(comm, [&] { stays_on_cpu = job.entry->reason_for_cpu(job.config, comm.size()); });
    const DeviceBinding* device = machine.device && stays_on_cpu.empty() ? &*machine.device : nullptr;
    const int threads = job.entry->threads(job.config, comm.size(), machine.threads);
    const auto forecast = [&](int ranks) {
        const BackendKind backend = device != nullptr ? BackendKind::cuda : BackendKind::cpu;
        return job.entry->forecast(job.config, {ranks, threads, machine.placement.ranks_on_node}, backend).memory;
    };
    const auto next_ranks = [&](int ranks) {
        return job.entry->next_ranks == nullptr ? ranks : job.entry->next_ranks(job.config, ranks);
    };
    MemoryPrediction predicted;
    collectively(comm, [&] { predicted = forecast(comm.size()); });
    // ranks of nodes with fewer ranks, or with other caches, predict other bytes, and all must come to the same answer
    predicted = of_largest_rank(comm, predicted);
    machine.free_memory.check(predicted, comm.size(), forecast, next_ranks);
    PreparedRun run;
    const auto make = [&] { run.application = job.entry->make(comm, job.config, threads, device); };
    if (comm.size() == 1)
        collectively(comm, make);  // a failure is one of this point of a scan alone
    else
        make();  // collective itself: a rank that fails in it ends all ranks
    predicted.recording.columns = run.application->columns().size();
    run.options = {
        job.config,         job.text, stem, threads, invocation.verbosity, invocation.start, invocation.provenance,
        predicted.recording};
    run.options.batch_end = invocation.batch_end;
    const bool prints = comm.is_root() && invocation.verbosity == Verbosity::full;
    if (prints) print_head(job, *run.application, machine.placement, comm.size(), run.options);
    if (prints && !machine.no_device.empty()) std::printf("  No GPU is used: %s.\n", machine.no_device.c_str());
    if (device != nullptr) {
        const std::vector<std::string> lines = device_lines(comm, *device, 8);
        if (prints) print_devices(*device, lines);
        run.options.provenance.push_back({"devices", joined(lines)});
    }
    MemoryPrediction exact = of_largest_rank(comm, run.application->memory());
    exact.recording = predicted.recording;
    machine.free_memory.check(exact, comm.size(), forecast, next_ranks);
    return run;
}

}  // namespace strata
