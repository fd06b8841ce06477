// SPDX-License-Identifier: BSD-3-Clause
// Benchmark of Lanczos steps on one device, in double and single precision: seconds per step, the time of each phase,
// and the counted traffic as a fraction of the copy bandwidth measured in the same run. Prints Markdown.
//   gpu_lanczos_bench [steps, default 20] [largest number of states, default: what fits into memory]
//       [part of the names of systems to measure, default: all]
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "comm/session.hpp"
#include "device_bench.hpp"
#include "lanczos/run/factory.hpp"
#include "lanczos/run/ground_state.hpp"
#include "lanczos/state/memory.hpp"
#include "lanczos_systems.hpp"
#include "strata/memory.hpp"

namespace strata::perf {
namespace {

using lanczos::LanczosPlan;

void measure(const Communicator& comm, const LanczosCase& s, lanczos::Precision precision, const DeviceBinding& device,
             double bandwidth, int steps, double max_states) {
    const LanczosPlan plan(endless_job(s, precision), 1, 0, 1);
    const std::uint64_t memory = lanczos::largest_operator_memory(plan, 0, BackendKind::cuda).device_bytes();
    if (plan.dimension() > max_states || memory > device::free_memory()) return;
    lanczos::GroundState system(plan, lanczos::hamiltonian_maker(comm, &device));
    system.allocate();
    system.initialise();
    system.step(0);
    const std::vector<Timers::Phase> before = system.timers().phases();
    double least = 1e300, sum = 0;
    for (int i = 1; i <= steps; ++i) {
        const double start = monotonic_seconds();
        system.step(static_cast<std::uint64_t>(i));
        const double seconds = monotonic_seconds() - start;
        least = std::min(least, seconds);
        sum += seconds;
    }
    const double floor = plan.bytes_per_step() / bandwidth;
    std::printf("| %s, %s | %.0f | %.3f | %.3f | %.3f | %.0f %% | %s |", s.name,
                precision == lanczos::Precision::single ? "single" : "double", plan.dimension(), 1e3 * sum / steps,
                1e3 * least, 1e3 * floor, 100 * floor / least, human_bytes(memory).c_str());
    print_phases(phases_since(before, system.timers()), sum);
}

int run(const Communicator& comm, int steps, double max_states, const std::string& name) {
    const DeviceBinding device = bound_device(comm);
    if (!device.usable) return 1;
    const double bandwidth = copy_bandwidth();
    std::printf("%s, copy %.0f GB/s (read and written)\n\n", device.facts.name.c_str(), 1e-9 * bandwidth);
    std::printf(
        "| system | dimension | ms per step | least | traffic floor, ms | of the copy bandwidth | memory | phases |\n"
        "|---|---|---|---|---|---|---|---|\n");
    for (const LanczosCase& s : {LanczosCase{"ring 8, 4 + 4, real", "ring", {8}, 4, 4, false},
                                 LanczosCase{"ring 8, 4 + 4, k = pi", "ring", {8}, 4, 4, false, {4}},
                                 LanczosCase{"ring 8, 3, k = 0", "ring", {8}, 3, -1, false, {0}},
                                 LanczosCase{"ring 14, 7 + 7, real", "ring", {14}, 7, 7, false},
                                 LanczosCase{"ring 14, 7 + 7, complex", "ring", {14}, 7, 7, true},
                                 LanczosCase{"checkerboard 18, 5 + 5, complex", "checkerboard", {3, 3}, 5, 5, true},
                                 LanczosCase{"ring 26, 13, real", "ring", {26}, 13, -1, false},
                                 LanczosCase{"ring 28, 13, k = 0", "ring", {28}, 13, -1, false, {0}},
                                 LanczosCase{"checkerboard 30, 10, complex", "checkerboard", {5, 3}, 10, -1, true},
                                 LanczosCase{"ring 16, 8 + 8, real", "ring", {16}, 8, 8, false},
                                 LanczosCase{"ring 16, 8 + 8, k = pi", "ring", {16}, 8, 8, false, {8}},
                                 LanczosCase{"ring 16, 8 + 8, k = pi / 8, complex", "ring", {16}, 8, 8, true, {1}},
                                 LanczosCase{"ring 18, 9 + 9, k = 0", "ring", {18}, 9, 9, false, {0}},
                                 LanczosCase{"ring 18, 9 + 9, real", "ring", {18}, 9, 9, false}})
        for (lanczos::Precision precision : {lanczos::Precision::double_, lanczos::Precision::single})
            if (std::string(s.name).find(name) != std::string::npos)
                measure(comm, s, precision, device, bandwidth, steps, max_states);
    return 0;
}

}  // namespace
}  // namespace strata::perf

int main(int argc, char** argv) {
    return strata::mpi_session(argc, argv, [&](const strata::Communicator& comm) {
        return strata::perf::run(comm, argc > 1 ? std::atoi(argv[1]) : 20, argc > 2 ? std::atof(argv[2]) : 1e18,
                                 argc > 3 ? argv[3] : "");
    });
}
