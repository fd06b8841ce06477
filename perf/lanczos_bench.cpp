// SPDX-License-Identifier: BSD-3-Clause
// Benchmark of Lanczos steps: seconds per step of this program and of Algorithm 3 of the paper (siro_harju.hpp), in one
// process on the same threads, and the times that the memory bandwidth permits: for 3 passes over a vector (read x,
// update y), and for the traffic of the sweeps, 7 reals per real number or 10 with one spin component. Prints Markdown.
// lanczos_bench_x86_64_v3 does the same for processors without AVX-512.
//   OMP_NUM_THREADS=2 lanczos_bench [steps, default 10] [LATTICE EXTENTS UP DOWN real|complex]...
// DOWN = -1 is one spin component. Example: lanczos_bench 5 checkerboard 3,3 4 4 complex
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <list>
#include <sstream>
#include <string>
#include <vector>

#include "comm/session.hpp"
#include "kernels/bandwidth.hpp"
#include "lanczos/run/factory.hpp"
#include "lanczos/run/ground_state.hpp"
#include "lanczos_systems.hpp"
#include "siro_harju.hpp"
#include "strata/error.hpp"
#include "strata/timer.hpp"

namespace strata::perf {
namespace {

using lanczos::LanczosPlan;
using lanczos::Precision;

/// Selects whether the baseline is timed; for some systems it takes minutes, or more memory than there is.
enum class Baseline { timed, none };

double own_step(const Communicator& comm, const LanczosPlan& plan, int steps) {
    lanczos::GroundState system(plan, lanczos::hamiltonian_maker(comm, nullptr));
    system.allocate();
    system.initialise();
    double least = 1e300;
    for (int i = 0; i <= steps; ++i) {
        const double start = monotonic_seconds();
        system.step(static_cast<std::uint64_t>(i));
        if (i > 0) least = std::min(least, monotonic_seconds() - start);
    }
    return least;
}

/// A job with the kernels for the instruction set for which the baseline is compiled.
lanczos::LanczosConfig job(const LanczosCase& system, Precision precision) {
    lanczos::LanczosConfig c = endless_job(system, precision);
    c.simd = STRATA_BENCH_SIMD;
    return c;
}

/// Throws unless the baseline gives the energy of Lieb and Wu of the ring of 10.
void check_baseline() {
    double energy = 0;
    siro_harju_step(LanczosPlan(job({"", "ring", {10}, 5, 5, false}, Precision::double_), 1, 0, 1), 60, energy);
    if (std::abs(energy + 5.834322635773) > 1e-8)
        throw Error(ExitCode::numerical, "The baseline finds " + std::to_string(energy) + " for the ring of 10.");
}

struct Row {
    LanczosCase system;
    Precision precision;
    Baseline baseline;
};

std::vector<Row> default_rows() {
    constexpr Precision twice = Precision::double_, once = Precision::single;
    const LanczosCase ring = {"ring 14, 7 + 7, real", "ring", {14}, 7, 7, false};
    const LanczosCase flat = {"checkerboard 18, 5 + 5, complex", "checkerboard", {3, 3}, 5, 5, true};
    return {{{"ring 12, 6 + 6, real", "ring", {12}, 6, 6, false}, twice, Baseline::timed},
            {ring, twice, Baseline::timed},
            {ring, once, Baseline::none},
            {{"ring 14, 7 + 7, complex", "ring", {14}, 7, 7, true}, twice, Baseline::timed},
            {{"ring 18, 5 + 5, real", "ring", {18}, 5, 5, false}, twice, Baseline::timed},
            {{"checkerboard 18, 4 + 4, complex", "checkerboard", {3, 3}, 4, 4, true}, twice, Baseline::timed},
            {flat, twice, Baseline::timed},
            {flat, once, Baseline::none},
            {{"ring 26, 13, real", "ring", {26}, 13, -1, false}, twice, Baseline::timed},
            {{"ring 26, 13, complex", "ring", {26}, 13, -1, true}, once, Baseline::none},
            {{"checkerboard 30, 7, complex", "checkerboard", {5, 3}, 7, -1, true}, twice, Baseline::timed},
            {{"checkerboard 30, 10, complex", "checkerboard", {5, 3}, 10, -1, true}, twice, Baseline::none},
            {{"ring 16, 8 + 8, real", "ring", {16}, 8, 8, false}, twice, Baseline::none}};
}

std::vector<std::int64_t> numbers(const std::string& list) {
    std::vector<std::int64_t> found;
    std::istringstream words(list);
    for (std::string word; std::getline(words, word, ',');) found.push_back(std::atoll(word.c_str()));
    return found;
}

/// Systems of the command line, in groups of five words; their name is the group.
std::vector<Row> rows_of(int words, char** word) {
    static std::list<std::string> names;  // a LanczosCase holds pointers
    std::vector<Row> rows;
    for (; words >= 5; words -= 5, word += 5) {
        names.push_back(std::string(word[0]) + " " + word[1] + " " + word[2] + " " + word[3] + " " + word[4]);
        rows.push_back({{names.back().c_str(), word[0], numbers(word[1]), std::atoi(word[2]), std::atoi(word[3]),
                         std::string(word[4]) == "complex"},
                        Precision::double_,
                        Baseline::timed});
    }
    return rows;
}

void run(const Communicator& comm, int steps, const std::vector<Row>& rows) {
    check_baseline();
    const int threads = omp_get_max_threads();
    const double bandwidth = read_bandwidth(threads);
    std::printf("%d thread(s), %.1f GB/s read\n\n", threads, 1e-9 * bandwidth);
    std::printf(
        "| system | dimension | ms per step | the paper's, ms | times faster | 3 passes, ms | own traffic, ms | GB/s "
        "|\n"
        "|---|---|---|---|---|---|---|---|\n");
    for (const auto& [system, precision, baseline] : rows) {
        const LanczosPlan plan(job(system, precision), 1, 0, threads);
        const double own = own_step(comm, plan, steps);
        double energy = 0;
        const double paper = baseline == Baseline::timed ? siro_harju_step(plan, std::max(1, steps / 4), energy) : NAN;
        const double bytes = static_cast<double>(plan.real_bytes());
        const double reals = plan.dimension() * (plan.arithmetic() == lanczos::Arithmetic::complex ? 2 : 1);
        std::printf("| %s%s | %.0f | %.4g | %.4g | %.1f | %.2f | %.2f | %.1f |\n", system.name,
                    precision == Precision::single ? ", single" : "", plan.dimension(), 1e3 * own, 1e3 * paper,
                    paper / own, 1e3 * 3 * bytes * reals / bandwidth, 1e3 * plan.bytes_per_step() / bandwidth,
                    1e-9 * plan.bytes_per_step() / own);
        std::fflush(stdout);
    }
}

}  // namespace
}  // namespace strata::perf

int main(int argc, char** argv) {
    return strata::mpi_session(argc, argv, [&](const strata::Communicator& comm) {
        strata::perf::run(comm, argc > 1 ? std::atoi(argv[1]) : 10,
                          argc > 2 ? strata::perf::rows_of(argc - 2, argv + 2) : strata::perf::default_rows());
        return 0;
    });
}
