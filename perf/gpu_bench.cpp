// SPDX-License-Identifier: BSD-3-Clause
// Benchmark of Swendsen-Wang on one device: nanoseconds per site update at T_c for a series of sizes, the time of each
// phase, and the counted traffic (kernels/swendsen_wang/device_sweep.hpp) as a fraction of the copy bandwidth measured
// in the same run. Prints Markdown.
//   gpu_bench [seconds per size, default 4] [maximum of sites, default: what memory allows]
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "comm/session.hpp"
#include "device_bench.hpp"
#include "strata/error.hpp"
#include "strata/memory.hpp"
#include "swendsen_wang/physics/exact.hpp"
#include "swendsen_wang/run/swendsen_wang.hpp"

namespace strata::perf {
namespace {

using swendsen_wang::BackendOptions;
using swendsen_wang::SwendsenWang;
using swendsen_wang::SwendsenWangConfig;
using swendsen_wang::SwendsenWangPlan;

/// A job at T_c from a cold start, without observations.
SwendsenWangConfig job(int dimensions, std::uint64_t extent) {
    SwendsenWangConfig c;
    c.extents.assign(static_cast<std::size_t>(dimensions), extent);
    c.beta = dimensions == 2 ? 0.44068679350977147 : 0.22165462602;
    c.sweeps = 1000000000;
    c.thermalization = c.sweeps;  // no observations
    c.seed = 1;
    c.simd = "auto";
    return c;
}

struct Measured {
    double sweep_seconds = 0;  ///< median
    double least_seconds = 0;
    std::vector<Timers::Phase> phases;  ///< phases of the measured sweeps
    std::uint64_t sweeps = 0;
};

/// Runs sweeps in batches until the time is up; the first third of the time brings the lattice to equilibrium.
Measured measure(const Communicator& comm, const SwendsenWangPlan& plan, const BackendOptions<Cuda>& options,
                 double seconds) {
    SwendsenWang<Cuda> system(comm, plan, options);
    system.allocate();
    system.initialise();
    std::uint64_t step = 0;
    const auto batch = [&](std::uint64_t sweeps) {
        const double start = monotonic_seconds();
        for (std::uint64_t i = 0; i < sweeps; ++i) system.step(step++);
        system.finish();
        return (monotonic_seconds() - start) / static_cast<double>(sweeps);
    };
    const double begun = monotonic_seconds();
    double last = batch(1);
    while (monotonic_seconds() - begun < seconds / 3 || step < 16) last = batch(8);
    const auto together = static_cast<std::uint64_t>(std::clamp(0.05 / last, 1.0, 1000.0));
    const std::vector<Timers::Phase> before = system.timers().phases();
    const std::uint64_t first = step;
    std::vector<double> times;
    while (times.size() < 5 || monotonic_seconds() - begun < seconds) times.push_back(batch(together));
    std::ranges::sort(times);
    return {times[times.size() / 2], times.front(), phases_since(before, system.timers()), step - first};
}

/// One row of the table: times, the lower bound from the traffic, memory, and fractions of the phases.
void print_row(int dimensions, std::uint64_t extent, const SwendsenWangPlan& plan, const Measured& m,
               double bandwidth) {
    const auto sites = static_cast<double>(plan.config().sites());
    const double floor = swendsen_wang::device_sweep_bytes(dimensions) * sites / bandwidth;
    std::printf("| %dD %llu | %.4f | %.4f | %.4f | %.0f %% | %s |", dimensions, static_cast<unsigned long long>(extent),
                1e9 * m.sweep_seconds / sites, 1e9 * m.least_seconds / sites, 1e9 * floor / sites,
                100 * floor / m.sweep_seconds, human_bytes(plan.memory().device_bytes()).c_str());
    print_phases(m.phases, m.sweep_seconds * static_cast<double>(m.sweeps));
}

int run(const Communicator& comm, double seconds, double max_sites) {
    const DeviceBinding device = bound_device(comm);
    if (!device.usable) return 1;
    const device::Facts& f = device.facts;
    const std::uint64_t free = device::free_memory();
    const double bandwidth = copy_bandwidth();
    std::printf("%s, %d multiprocessors, %s of %s free, %s; copy %.0f GB/s (read and written)\n\n", f.name.c_str(),
                f.processors, human_bytes(free).c_str(), human_bytes(f.memory).c_str(), device::build().c_str(),
                1e-9 * bandwidth);
    std::printf(
        "| lattice at T_c | ns per site update | least | traffic floor, ns | of the copy bandwidth | memory | phases "
        "|\n"
        "|---|---|---|---|---|---|---|\n");
    const auto size = [&](int dimensions, std::uint64_t extent) {
        const SwendsenWangConfig config = job(dimensions, extent);
        if (static_cast<double>(config.sites()) > max_sites) return;
        try {
            const SwendsenWangPlan plan(config, 1, 0, 1, BackendKind::cuda);
            if (plan.memory().device_bytes() > device::free_memory()) return;
            print_row(dimensions, extent, plan, measure(comm, plan, {f.name, device.route}, seconds), bandwidth);
        } catch (const Error& error) {
            if (error.code() != ExitCode::does_not_fit) throw;  // more labels than 32-bit numbers
        }
    };
    for (std::uint64_t extent = 1024; extent <= 65536; extent *= 2) size(2, extent);
    for (std::uint64_t extent = 64; extent <= 2048; extent *= 2) size(3, extent);
    return 0;
}

}  // namespace
}  // namespace strata::perf

int main(int argc, char** argv) {
    return strata::mpi_session(argc, argv, [&](const strata::Communicator& comm) {
        return strata::perf::run(comm, argc > 1 ? std::atof(argv[1]) : 4, argc > 2 ? std::atof(argv[2]) : 1e18);
    });
}
