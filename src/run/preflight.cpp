// SPDX-License-Identifier: BSD-3-Clause
// Preparation of a run: the only place that chooses between CPU and device and sets the numbers of threads.
#include "run/preflight.hpp"

#include <omp.h>

#include <cstdio>
#include <cstdlib>
#include <optional>

#include "comm/collectives.hpp"
#include "comm/device_binding.hpp"
#include "comm/placement.hpp"
#include "run/console.hpp"
#include "run/memory_check.hpp"
#include "strata/error.hpp"
#include "strata/printable.hpp"

namespace strata {
namespace {

/// The device of this rank if the job permits devices and every rank has one, else nothing and the reason. Throws
/// CollectiveError if backend.device = cuda is not possible. Collective.
std::optional<DeviceBinding> find_device(const Communicator& comm, const Study& study, const Placement& placement,
                                         std::string& reason) {
    const std::string& requested = study.config.text("backend.device");
    if (requested == "cpu" || !study.entry->runs_on(BackendKind::cuda)) return {};
    collectively(comm, [&] { reason = study.entry->reason_for_cpu(study.config, comm.size()); });
    if (!reason.empty()) return {};
    const std::string& aware = study.config.text("backend.gpu-aware");
    DeviceBinding device = bind_device(comm, placement,
                                       aware == "on"    ? GpuAware::on
                                       : aware == "off" ? GpuAware::off
                                                        : GpuAware::automatic);
    if (device.usable) return device;
    if (requested == "cuda")
        throw CollectiveError(ExitCode::does_not_fit, study.config.cite("backend.device") +
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

Machine survey(const Communicator& comm, const Study& study, Verbosity verbosity) {
    const Placement placement = find_placement(comm);
    const int requested = threads_per_rank(comm, placement, static_cast<int>(study.config.integer("backend.threads")));
    const int threads = start_threads(comm, requested, verbosity);
    if (const char* unused = std::getenv("OMP_NUM_THREADS"); unused != nullptr && std::to_string(threads) != unused)
        if (comm.is_root() && verbosity == Verbosity::full)
            std::printf("OMP_NUM_THREADS = %s is not used: backend.threads sets the threads.\n",
                        printable(unused).c_str());
    if (study.entry->reserve_memory != nullptr) collectively(comm, [&] { study.entry->reserve_memory(threads); });
    std::string no_device;
    const std::optional<DeviceBinding> device = find_device(comm, study, placement, no_device);
    return {placement, threads, device, FreeMemory(comm, placement, device ? &*device : nullptr), no_device};
}

const DeviceBinding* Machine::device_of(const Study& point, int ranks) const {
    return device && point.entry->reason_for_cpu(point.config, ranks).empty() ? &*device : nullptr;
}

Forecast Machine::forecast(const Study& point, int ranks) const {
    const RunLayout layout = {ranks, point.entry->threads(point.config, ranks, threads), placement.ranks_on_node};
    return point.entry->forecast(point.config, layout,
                                 device_of(point, ranks) == nullptr ? BackendKind::cpu : BackendKind::cuda);
}

PreparedRun prepare(const Communicator& comm, const Study& point, const std::string& stem, const Machine& machine,
                    const Invocation& invocation) {
    const auto needed_by = [&](int ranks) { return machine.forecast(point, ranks).memory; };
    const auto next_ranks = [&](int ranks) {
        return point.entry->next_ranks == nullptr ? ranks : point.entry->next_ranks(point.config, ranks);
    };
    MemoryPrediction predicted;
    collectively(comm, [&] { predicted = needed_by(comm.size()); });
    // ranks of nodes with fewer ranks, or with other caches, predict other bytes, and all must come to the same answer
    predicted = of_largest_rank(comm, predicted);
    machine.free_memory.check(predicted, comm.size(), needed_by, next_ranks);
    const DeviceBinding* device = machine.device_of(point, comm.size());
    const int threads = point.entry->threads(point.config, comm.size(), machine.threads);
    PreparedRun run;
    const auto make = [&] { run.application = point.entry->make(comm, point.config, threads, device); };
    if (comm.size() == 1)
        collectively(comm, make);  // a failure is one of this point of a scan alone
    else
        make();  // collective itself: a rank that fails in it ends all ranks
    predicted.recording.columns = run.application->columns().size();
    run.options = {point.config,          point.text,         stem, threads, invocation.verbosity, invocation.start,
                   invocation.provenance, predicted.recording};
    run.options.batch_end = invocation.batch_end;
    MemoryPrediction exact = run.application->memory();
    const bool prints = comm.is_root() && invocation.verbosity == Verbosity::full;
    if (prints)
        print_head(point.entry->name, machine.placement, comm.size(), threads,
                   {run.application->description(), ", " + run.application->backend(), exact, "",
                    human_bytes(predicted.recording.bytes()) + " for the series", machine.no_device});
    if (device != nullptr) {
        const std::vector<std::string> lines = device_lines(comm, *device, 8);
        if (prints) print_devices(*device, lines);
        run.options.provenance.push_back({"devices", joined(lines)});
    }
    exact = of_largest_rank(comm, exact);
    exact.recording = predicted.recording;
    machine.free_memory.check(exact, comm.size(), needed_by, next_ranks);
    return run;
}

}  // namespace strata
