// SPDX-License-Identifier: BSD-3-Clause
// Benchmark of the sweep: nanoseconds per site update at T_c of this program in every instruction set, of the algorithm
// of the paper and of the textbook algorithm, in one process, from one thermalised configuration. Prints a table of
// ratios after the table of Google Benchmark.
//   sweep_bench [--sizes=4096,256] [--benchmark_filter=...] [--benchmark_repetitions=3]
#include <benchmark/benchmark.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <string>

#include "baseline.hpp"
#include "comm/session.hpp"
#include "kernels/bandwidth.hpp"
#include "strata/timer.hpp"
#include "support/packed_state.hpp"
#include "swendsen_wang/run/swendsen_wang.hpp"

namespace strata::perf {
namespace {

using SwendsenWang = swendsen_wang::SwendsenWang<Cpu>;
using swendsen_wang::SwendsenWangConfig;
using swendsen_wang::SwendsenWangPlan;

struct Size {
    int dimensions;
    std::uint64_t extent;
    double beta() const { return dimensions == 2 ? std::log1p(std::sqrt(2.0)) / 2 : 0.221654626; }
    double sites() const { return std::pow(static_cast<double>(extent), dimensions); }
    std::string name() const { return std::to_string(dimensions) + "D/" + std::to_string(extent); }
};

SwendsenWangConfig job(const Size& size, const std::string& simd) {
    SwendsenWangConfig c;
    c.extents.assign(static_cast<std::size_t>(size.dimensions), size.extent);
    c.beta = size.beta();
    c.sweeps = std::uint64_t{1} << 40;
    c.thermalization = c.sweeps;  // no observations
    c.simd = simd;
    return c;
}

/// A system at T_c. Large lattices are filled with copies of a thermalised smaller one, because thermalising them would
/// take minutes and the cost of a sweep depends only on local structure.
class Prepared {
  public:
    Prepared(const Communicator& comm, const Size& size, const std::string& simd, int threads)
        : system_(comm, SwendsenWangPlan(job(size, simd), 1, 0, threads)) {
        system_.allocate();
        system_.initialise();
        const Size small = {size.dimensions, std::min<std::uint64_t>(size.extent, size.dimensions == 2 ? 1024 : 64)};
        SwendsenWang seed(comm, SwendsenWangPlan(job(small, "auto"), 1, 0, omp_get_max_threads()));
        seed.allocate();
        seed.initialise();
        for (std::uint64_t i = 0; i < 200; ++i) seed.step(i);
        copy_periodically(seed.state().at(0), small, system_.state().at(0), size);
        system_.restored(0);
        for (int i = 0; i < 5; ++i) step();
    }
    /// Runs the next sweep; every sweep has different random numbers.
    void step() { system_.step(next_++); }
    SwendsenWang& system() { return system_; }

    /// The configuration as one byte per site, for the baselines.
    Spins spins(const Size& size) {
        const std::uint64_t edge = size.dimensions == 2 ? 8 : 4, n = size.extent;
        const DistributedArray a = system_.state().at(0);
        const std::vector<std::uint64_t> words = packed<std::uint64_t>(a);
        Spins up(static_cast<std::size_t>(size.sites()));
        for (std::uint64_t site = 0; site < up.size(); ++site) {
            const std::uint64_t x = site % n, y = site / n % n, z = site / n / n;
            const std::uint64_t row = size.dimensions == 2 ? y / edge : z / edge * (n / edge) + y / edge;
            const std::uint64_t bit =
                x % edge + edge * (y % edge) + (size.dimensions == 2 ? 0 : edge * edge * (z % edge));
            up[site] = words[row * a.shape.row_elements + x / edge] >> bit & 1;
        }
        return up;
    }

  private:
    /// Fills the large lattice with copies of the small one, tile by tile.
    static void copy_periodically(const DistributedArray& from, const Size& small, const DistributedArray& to,
                                  const Size& big) {
        const std::uint64_t edge = big.dimensions == 2 ? 8 : 4, many = big.extent / edge, few = small.extent / edge;
        const std::vector<std::uint64_t> source = packed<std::uint64_t>(from);
        std::vector<std::uint64_t> words;
        for (std::uint64_t r = 0; r < to.shape.rows; ++r)
            for (std::uint64_t t = 0; t < to.shape.row_elements; ++t) {
                const std::uint64_t row = big.dimensions == 2 ? r % few : r / many % few * few + r % many % few;
                words.push_back(source[row * from.shape.row_elements + t % few]);
            }
        unpack(words, to);
    }

    SwendsenWang system_;
    std::uint64_t next_ = 0;
};

/// The thermalised configuration, computed once for every size.
const Spins& thermalised(const Communicator& comm, const Size& size) {
    static std::map<std::string, Spins> kept;
    if (!kept.contains(size.name()))
        kept[size.name()] = Prepared(comm, size, "auto", omp_get_max_threads()).spins(size);
    return kept[size.name()];
}

/// Reports the shortest time of a sweep per site.
void report(benchmark::State& state, double best, const Size& size) {
    state.counters["ns_per_site"] = 1e9 * best / size.sites();
}

/// Times single sweeps; the counters are the shortest times of the phases per site.
void time_sweep(benchmark::State& state, const Communicator& comm, Size size, std::string simd, int threads) {
    Prepared prepared(comm, size, simd, threads);
    std::map<std::string, double> before, phases;
    double best = 1e9;
    for (auto _ : state) {
        before.clear();
        for (const auto& phase : prepared.system().timers().phases()) before[phase.name] = phase.seconds;
        const double start = monotonic_seconds();
        prepared.step();
        const double seconds = monotonic_seconds() - start;
        state.SetIterationTime(seconds);
        best = std::min(best, seconds);
        for (const auto& phase : prepared.system().timers().phases()) {
            const double ns = 1e9 * (phase.seconds - before[phase.name]) / size.sites();
            double& least = phases.try_emplace(phase.name, ns).first->second;
            least = std::min(least, ns);
        }
    }
    report(state, best, size);
    for (const auto& [name, ns] : phases) state.counters[name] = ns;
}

/// Times single sweeps of a baseline.
template <class Make>
void time_baseline(benchmark::State& state, Size size, Make make) {
    const std::unique_ptr<Baseline> baseline = make();
    baseline->sweep();
    double best = 1e9;
    for (auto _ : state) {
        const double start = monotonic_seconds();
        baseline->sweep();
        const double seconds = monotonic_seconds() - start;
        state.SetIterationTime(seconds);
        best = std::min(best, seconds);
    }
    report(state, best, size);
    const double sweeps = static_cast<double>(state.iterations()) + 1;
    for (const auto& [name, seconds] : baseline->phases()) state.counters[name] = 1e9 * seconds / size.sites() / sweeps;
    state.counters["energy"] = baseline->energy();
}

/// Stores the best rate of every benchmark for the table of ratios.
class Collector : public benchmark::ConsoleReporter {
  public:
    Collector() : ConsoleReporter(OO_Tabular) {}
    void ReportRuns(const std::vector<Run>& runs) override {
        for (const Run& run : runs) {
            if (run.run_type != Run::RT_Iteration) continue;
            const double ns = run.counters.at("ns_per_site");
            double& least = best_.try_emplace(run.run_name.function_name, ns).first->second;
            least = std::min(least, ns);
        }
        ConsoleReporter::ReportRuns(runs);
    }
    void print_ratios(const std::vector<Size>& sizes, int threads) const {
        std::printf(
            "\n| lattice | threads | code | ns/site | paper / this | textbook / this |\n|---|---|---|---|---|---|\n");
        for (const Size& size : sizes)
            for (int t : {1, threads}) {
                const std::string end = "/" + size.name() + "/" + std::to_string(t);
                const double paper = find("paper" + end), textbook = find("textbook/" + size.name() + "/1");
                for (const auto& [name, ns] : best_)
                    if (name.ends_with(end))
                        std::printf("| %s | %d | %s | %.3f | %.1f | %.1f |\n", size.name().c_str(), t,
                                    name.substr(0, name.size() - end.size()).c_str(), ns, paper / ns, textbook / ns);
                if (threads == 1) break;
            }
    }

  private:
    double find(const std::string& name) const { return best_.contains(name) ? best_.at(name) : std::nan(""); }
    std::map<std::string, double> best_;
};

/// The two extents of --sizes=SQUARE,CUBIC, which is removed from the arguments.
std::vector<Size> take_sizes(int& argc, char** argv) {
    std::vector<Size> sizes = {{2, 4096}, {3, 256}};
    for (int i = 1; i < argc; ++i) {
        unsigned long long square = 0, cubic = 0;
        if (std::sscanf(argv[i], "--sizes=%llu,%llu", &square, &cubic) != 2) continue;
        sizes = {{2, square}, {3, cubic}};
        std::copy(argv + i + 1, argv + argc, argv + i);
        --argc;
    }
    return sizes;
}

void add_benchmark(const std::string& name, int iterations, std::function<void(benchmark::State&)> run) {
    benchmark::RegisterBenchmark(name.c_str(), std::move(run))
        ->Iterations(iterations)
        ->UseManualTime()
        ->Unit(benchmark::kMillisecond);
}

/// Registers all codes for one lattice and one number of threads; the textbook code runs on one thread only.
void add_benchmarks(const Communicator& comm, const Size& size, int threads) {
    const std::string end = "/" + size.name() + "/" + std::to_string(threads);
    const double p = -std::expm1(-2 * size.beta());
    for (const auto& variant : swendsen_wang::sweep_variants())
        add_benchmark(std::string(variant.name) + end, 9,
                      [&comm, size, simd = std::string(variant.name), threads](benchmark::State& s) {
                          time_sweep(s, comm, size, simd, threads);
                      });
    add_benchmark("paper" + end, 4, [&comm, size, p, threads](benchmark::State& s) {
        time_baseline(s, size, [&] {
            return make_wende_steinke(size.dimensions, size.extent, p, threads, thermalised(comm, size));
        });
    });
    if (threads == 1)
        add_benchmark("textbook" + end, 2, [&comm, size, p](benchmark::State& s) {
            time_baseline(s, size,
                          [&] { return make_textbook(size.dimensions, size.extent, p, thermalised(comm, size)); });
        });
}

int measure(const Communicator& comm, int argc, char** argv) {
    const std::vector<Size> sizes = take_sizes(argc, argv);
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
    const int threads = omp_get_max_threads();
    std::printf("read bandwidth %.1f GB/s with one thread, %.1f GB/s with %d\n", 1e-9 * read_bandwidth(1),
                1e-9 * read_bandwidth(threads), threads);
    for (const Size& size : sizes) {
        add_benchmarks(comm, size, 1);
        if (threads > 1) add_benchmarks(comm, size, threads);
    }
    Collector collector;
    benchmark::RunSpecifiedBenchmarks(&collector);
    collector.print_ratios(sizes, threads);
    return 0;
}

}  // namespace
}  // namespace strata::perf

int main(int argc, char** argv) {
    return strata::mpi_session(
        argc, argv, [&](const strata::Communicator& comm) { return strata::perf::measure(comm, argc, argv); });
}
