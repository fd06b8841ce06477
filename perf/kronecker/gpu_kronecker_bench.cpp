// SPDX-License-Identifier: BSD-3-Clause
// Benchmark of products y = C x with the patches of the DMRG++ miniapps and K = 8 on one device, in double and single
// precision: time, operations per second, their fraction of the cuBLAS rate for large matrices in the same run, the time
// in which a copy reads all of their memory once, and the time of both phases, by the tiles of this program and by
// grouped products of cuBLAS, if it can be loaded. Prints Markdown.
//   gpu_kronecker_bench [products, default 20] [largest GFLOP of one product, default: what fits] [cublas | none]
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <numeric>
#include <thread>
#include <vector>

#include "../device_bench.hpp"
#include "comm/session.hpp"
#include "grouped_products.hpp"
#include "kronecker/physics/random_operators.hpp"
#include "strata/error.hpp"
#include "strata/formatted.hpp"
#include "strata/memory.hpp"
#include "superblock/device_operator.hpp"

namespace strata::perf {
namespace {

using namespace strata::kronecker;
using namespace strata::superblock;

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

/// Products of one target by one way of computing them.
struct Measured {
    std::string way;
    double flops = 0;
    std::uint64_t memory = 0;
    std::vector<double> times;  ///< seconds of each product
    std::vector<Timers::Phase> phases = {};
};

/// Prints one row of the table. `peak`: operations per second of cuBLAS for large matrices; 0: unknown. `bandwidth`: bytes
/// per second of a copy, read and written.
void print(const Case& c, Measured m, double peak, double bandwidth) {
    std::ranges::sort(m.times);
    const double median = m.times[m.times.size() / 2], rate = m.flops / median;
    std::printf("| %d sites, M = %llu, %s | %.4g | %.4f | %.4f | %.4f | %.1f | %s | %s |", c.sites,
                static_cast<unsigned long long>(c.saved_states), m.way.c_str(), 1e-9 * m.flops, 1e3 * median,
                1e3 * m.times[0], 1e3 * static_cast<double>(m.memory) / bandwidth, 1e-9 * rate,
                peak > 0 ? formatted("%.0f %%", 100 * rate / peak).c_str() : "?", human_bytes(m.memory).c_str());
    print_phases(m.phases, std::accumulate(m.times.begin(), m.times.end(), 0.0));
}

template <class Product>
std::vector<double> times_of(int products, Product product) {
    std::vector<double> times;
    for (int i = 0; i < products; ++i) {
        const double start = monotonic_seconds();
        product();
        times.push_back(monotonic_seconds() - start);
    }
    return times;
}

template <class Real>
Measured measure_tiles(const Communicator& comm, const MultiplyPlan& plan, const DeviceBinding& device, int products) {
    const RandomOperators source(plan.target(), 1);
    Timers timers;
    DeviceOperator<Real> op(comm, plan, source, 1, device, timers);
    op.allocate();
    op.draw(op.v(), 0);
    op.product();
    const std::vector<Timers::Phase> earlier = timers.phases();
    Measured m = {"own tiles", plan.flops(), device_memory<Real>(plan, 0, 0).device_bytes(),
                  times_of(products, [&] { op.product(); })};
    m.phases = phases_since(earlier, timers);
    return m;
}

/// The same products by cuBLAS, of operators that are all equal: times do not depend on them.
template <class Real>
Measured measure_cublas(const CublasLibrary& library, const Queue<Cuda>& queue, const MultiplyPlan& plan,
                        int products) {
    const DevicePlan device(plan.target(), plan.columns());
    GroupedProducts<Real> left(library, queue, whole_results(device.own_tiles()), device.products());
    GroupedProducts<Real> right(library, queue, whole_results(device.result_tiles()), device.products());
    Buffer<Real, Cuda> pool(device.pool_reals()), scratch(device.scratch_reals());
    Buffer<Real, Cuda> x(plan.elements().size()), y(plan.elements().size());
    for (Buffer<Real, Cuda>* of : {&pool, &x}) fill_bytes(queue, of->view(), 0x3c);  // small numbers
    const TileMemory<Real> first = {{pool.data(), x.data()}, scratch.data()};
    const TileMemory<Real> second = {{pool.data(), x.data(), nullptr, scratch.data()}, y.data()};
    double seconds_left = 0;
    const auto product = [&] {
        Event start, between;
        start.set(queue);
        left.multiply(first);
        between.set(queue);
        right.multiply(second);
        queue.wait();
        seconds_left += between.seconds_since(start);
    };
    product();
    seconds_left = 0;
    Measured m = {"cuBLAS", plan.flops(), sizeof(Real) * (pool.size() + scratch.size() + 2 * x.size()),
                  times_of(products, product)};
    const double sum = std::accumulate(m.times.begin(), m.times.end(), 0.0);
    m.phases = {{"left operators", seconds_left}, {"right operators", sum - seconds_left}};
    return m;
}

struct Bench {
    const Communicator& comm;
    const DeviceBinding& device;
    const CublasLibrary* library;  ///< null: no cuBLAS
    const Queue<Cuda>& queue;
    double bandwidth;  ///< bytes per second of a copy, read and written
    int products;
    double most_gflop;
};

/// Prints rows of one precision, unless the operators do not fit into memory.
template <class Real>
void measure(const Bench& bench, const Case& c, const char* precision, double peak) {
    const Target target = target_of(c);
    const MultiplyPlan plan(target, Partition::columns, 1, 0, static_cast<int>(std::thread::hardware_concurrency()));
    if (1e-9 * plan.flops() > bench.most_gflop) return;
    if (device_memory<Real>(plan, 0, 0).device_bytes() > device::free_memory()) return;
    const auto row = [&](Measured m) {
        m.way = precision + (", " + m.way);
        print(c, std::move(m), peak, bench.bandwidth);
    };
    row(measure_tiles<Real>(bench.comm, plan, bench.device, bench.products));
    if (bench.library != nullptr) row(measure_cublas<Real>(*bench.library, bench.queue, plan, bench.products));
}

int run(const Communicator& comm, int products, double most_gflop, bool with_cublas) {
    const DeviceBinding device = bound_device(comm);
    if (!device.usable) return 1;
    const Queue<Cuda> queue;
    std::unique_ptr<CublasLibrary> library;
    try {
        if (with_cublas) library = std::make_unique<CublasLibrary>(queue);
    } catch (const Error& error) {
        std::printf("%s\n", error.what());
    }
    const double peak = library ? cublas_rate<double>(*library, queue, peak_order) : 0;
    const double single_peak = library ? cublas_rate<float>(*library, queue, peak_order) : 0;
    const double bandwidth = copy_bandwidth();
    std::printf(
        "%s, cuBLAS of order %d: double %.0f GFLOP/s, single %.0f GFLOP/s%s; copy %.0f GB/s (read and written)\n\n",
        device.facts.name.c_str(), peak_order, 1e-9 * peak, 1e-9 * single_peak, peak > 0 ? "" : " (no cuBLAS)",
        1e-9 * bandwidth);
    std::printf(
        "| target, K = %llu | GFLOP | ms per product | least | memory read once, ms | GFLOP/s | of cuBLAS | memory | "
        "phases "
        "|\n"
        "|---|---|---|---|---|---|---|---|---|\n",
        static_cast<unsigned long long>(operators));
    const Bench bench = {comm, device, library.get(), queue, bandwidth, products, most_gflop};
    for (const Case& c :
         {Case{8, 20}, Case{64, 500}, Case{64, 1000}, Case{64, 2000}, Case{144, 4000}, Case{144, 10000}}) {
        measure<double>(bench, c, "double", peak);
        measure<float>(bench, c, "single", single_peak);
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
