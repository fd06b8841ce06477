// SPDX-License-Identifier: BSD-3-Clause
// Benchmark of second-order steps of the Heisenberg ring in random fields on one device, in double and single
// precision: time, the rate at which the passes read and write memory, its fraction of the copy bandwidth measured in
// the same run, and the time of each phase. Prints Markdown.
//   gpu_trotter_bench [steps per batch, default 20] [fewest spins, 24] [most spins, 33]
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "../device_bench.hpp"
#include "comm/session.hpp"
#include "strata/memory.hpp"
#include "trotter/run/factory.hpp"

namespace strata::perf {
namespace {

using namespace strata::trotter;

constexpr int batches = 5;

/// A job of a ring without observations.
TrotterConfig ring(int spins, Precision precision) {
    TrotterConfig c;
    c.lattice.type = "ring";
    c.lattice.extents = {spins};
    c.model = ModelType::heisenberg;
    c.coupling = {1, 1, 1};
    c.field = {{{0}, {0}, {0}}};
    c.disorder = 1;
    c.steps = c.measure_every = 1000000000;
    c.precision = precision;
    return c;
}

/// Prints one row of the table, unless the state does not fit into memory.
void measure(const Communicator& comm, int spins, Precision precision, const DeviceBinding& device, double bandwidth,
             int steps) {
    const TrotterPlan plan(ring(spins, precision), 1, 0, 1, BackendKind::cuda,
                           {.tile_bits = device_tile_bits(comm, precision, device)});
    if (plan.memory().device_bytes() > device::free_memory()) return;
    Trotter system(plan, device_state_maker(comm, device));
    system.allocate();
    system.initialise();
    std::uint64_t step = 0;
    const auto batch = [&](int count) {
        const double start = monotonic_seconds();
        for (int i = 0; i < count; ++i) system.step(step++);
        system.finish();
        return (monotonic_seconds() - start) / count;
    };
    batch(2);
    const std::vector<Timers::Phase> before = system.timers().phases();
    std::vector<double> times;
    for (int i = 0; i < batches; ++i) times.push_back(batch(steps));
    std::ranges::sort(times);
    const double median = times[batches / 2], rate = plan.bytes_per_step() / median;
    std::printf("| %d | %s | %.3f | %.3f | %.0f | %.0f | %.0f %% | %s |", spins,
                precision == Precision::single ? "single" : "double", 1e3 * median, 1e3 * times.front(),
                plan.passes_per_step(), 1e-9 * rate, 100 * rate / bandwidth,
                human_bytes(plan.memory().device_bytes()).c_str());
    print_phases(phases_since(before, system.timers()), median * batches * steps);
}

int run(const Communicator& comm, int steps, int fewest, int most) {
    const DeviceBinding device = bound_device(comm);
    if (!device.usable) return 1;
    const double bandwidth = copy_bandwidth();
    std::printf("%s, %s of shared memory for a block, copy %.0f GB/s (read and written)\n\n", device.facts.name.c_str(),
                human_bytes(device.facts.shared_memory).c_str(), 1e-9 * bandwidth);
    std::printf(
        "| spins | precision | ms per step | least | passes | GB/s | of the copy bandwidth | memory | phases |\n"
        "|---|---|---|---|---|---|---|---|---|\n");
    for (const Precision precision : {Precision::double_, Precision::single})
        for (int spins = fewest; spins <= most; ++spins) measure(comm, spins, precision, device, bandwidth, steps);
    return 0;
}

}  // namespace
}  // namespace strata::perf

int main(int argc, char** argv) {
    const auto number = [&](int i, int otherwise) { return argc > i ? std::atoi(argv[i]) : otherwise; };
    return strata::mpi_session(argc, argv, [&](const strata::Communicator& comm) {
        return strata::perf::run(comm, number(1, 20), number(2, 24), number(3, 33));
    });
}
