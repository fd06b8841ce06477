// SPDX-License-Identifier: BSD-3-Clause
// Benchmark of products y = C x with the patches of the DMRG++ miniapps and K = 8 on one device, in double and single
// precision: time, operations per second, their fraction of the cuBLAS rate for large matrices in the same run, and
// the time of both phases, by the tiles of this program and by grouped products of cuBLAS, if it can be loaded. Prints
// Markdown.
//   gpu_kronecker_bench [products, default 20] [largest GFLOP of one product, default: what fits] [cublas | none]
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include "comm/device_binding.hpp"
#include "comm/session.hpp"
#include "cublas.hpp"
#include "kronecker/physics/random_operators.hpp"
#include "strata/memory.hpp"
#include "strata/timer.hpp"
#include "superblock/device_operator.hpp"

namespace strata::perf {
namespace {

using namespace strata::kronecker;

constexpr std::uint64_t operators = 8;
constexpr int peak_order = 8192;

struct Case {
    int sites;
    std::uint64_t saved_states;
};

Target target_of(const Case& c) {
    SyntheticModel model;
    model.sites = c.sites;
    model.up = model.down = c.sites / 2;
    model.saved_states = c.saved_states;
    Target target;
    target.layout = PatchLayout(synthetic_patches(model));
    target.terms = terms_of_rule(target.layout.patches(), Rule::axis, operators);
    return target;
}

/// Prints one row of the table, unless the operators do not fit into memory.
template <class Real>
void measure(const Communicator& comm, const Case& c, const DeviceBinding& device, DeviceGemm gemm, double peak,
             int products, double most_gflop) {
    const Target target = target_of(c);
    const MultiplyPlan plan(target, Partition::columns, 1, 0, static_cast<int>(std::thread::hardware_concurrency()));
    const std::uint64_t memory = device_memory<Real>(plan, 0, 0, gemm).device_bytes();
    if (1e-9 * plan.flops() > most_gflop || memory > device::free_memory()) return;
    const RandomOperators source(target, 1);
    Timers timers;
    DeviceOperator<Real> op(comm, plan, source, {1, gemm}, device, timers);
    op.allocate();
    op.draw(op.v(), 0);
    op.product();
    const std::vector<Timers::Phase> before = timers.phases();
    std::vector<double> times;
    for (int i = 0; i < products; ++i) {
        const double start = monotonic_seconds();
        op.product();
        times.push_back(monotonic_seconds() - start);
    }
    std::ranges::sort(times);
    const double median = times[times.size() / 2], rate = plan.flops() / median;
    std::printf("| %d sites, M = %llu, %s, %s | %.4g | %.4f | %.4f | %.1f | ", c.sites,
                static_cast<unsigned long long>(c.saved_states), sizeof(Real) == 4 ? "single" : "double",
                gemm == DeviceGemm::own ? "own tiles" : "cuBLAS", 1e-9 * plan.flops(), 1e3 * median, 1e3 * times[0],
                1e-9 * rate);
    if (peak > 0)
        std::printf("%.0f %% |", 100 * rate / peak);
    else
        std::printf("? |");
    std::printf(" %s |", human_bytes(memory).c_str());
    double sum = 0;
    for (const double seconds : times) sum += seconds;
    for (const Timers::Phase& phase : timers.phases()) {
        const auto earlier = std::ranges::find(before, phase.name, &Timers::Phase::name);
        const double seconds = phase.seconds - (earlier == before.end() ? 0 : earlier->seconds);
        std::printf(" %s %.0f %%", phase.name.c_str(), 100 * seconds / sum);
    }
    std::printf(" |\n");
    std::fflush(stdout);
}

int run(const Communicator& comm, int products, double most_gflop, bool with_cublas) {
    const DeviceBinding device = bind_device(comm, find_placement(comm), GpuAware::off);
    if (!device.usable) {
        std::printf("No device is usable: %s.\n", device.reason.c_str());
        return 1;
    }
    const double peak = with_cublas ? cublas_rate(sizeof(double), peak_order) : 0;
    const double single_peak = with_cublas ? cublas_rate(sizeof(float), peak_order) : 0;
    std::printf("%s, cuBLAS of order %d: double %.0f GFLOP/s, single %.0f GFLOP/s%s\n\n", device.facts.name.c_str(),
                peak_order, 1e-9 * peak, 1e-9 * single_peak, peak > 0 ? "" : " (no cuBLAS)");
    std::printf(
        "| target, K = %llu | GFLOP | ms per product | least | GFLOP/s | of cuBLAS | memory | phases |\n"
        "|---|---|---|---|---|---|---|---|\n",
        static_cast<unsigned long long>(operators));
    for (const Case& c :
         {Case{8, 20}, Case{64, 500}, Case{64, 1000}, Case{64, 2000}, Case{144, 4000}, Case{144, 10000}}) {
        for (const DeviceGemm gemm : {DeviceGemm::own, DeviceGemm::cublas}) {
            if (gemm == DeviceGemm::cublas && peak == 0) continue;
            measure<double>(comm, c, device, gemm, peak, products, most_gflop);
            measure<float>(comm, c, device, gemm, single_peak, products, most_gflop);
        }
    }
    return 0;
}

}  // namespace
}  // namespace strata::perf

int main(int argc, char** argv) {
    return strata::mpi_session(argc, argv, [&](const strata::Communicator& comm) {
        return strata::perf::run(comm, argc > 1 ? std::atoi(argv[1]) : 20, argc > 2 ? std::atof(argv[2]) : 1e18,
                                 argc <= 3 || std::strcmp(argv[3], "none") != 0);
    });
}
