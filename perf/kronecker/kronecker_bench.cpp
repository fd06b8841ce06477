// SPDX-License-Identifier: BSD-3-Clause
// Benchmark of the multiplication by a synthetic target (A. Hernandez et al., the DMRG++ miniapps): GFLOP/s of this
// program and of the library variants of the paper. All are timed round-robin in one process and reported as fractions
// of the rate of matrix products in the same round, because clocks and the load of the machine vary. Prints Markdown.
// kronecker_bench_x86_64_v3 does the same for processors without AVX-512.
//   OMP_NUM_THREADS=1 kronecker_bench [rounds, default 15] [sites M K width]
#include <omp.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "comm/session.hpp"
#include "peaks.hpp"
#include "strata/error.hpp"
#include "superblock/multiply_plan.hpp"
#include "variants.hpp"

namespace strata::perf {
namespace {

/// Seconds for which a variant is repeated in every round, so that its operators are in the same level of memory as in
/// a Lanczos run.
constexpr double seconds_per_round = 0.03;

double median(std::vector<double> of) {
    std::ranges::nth_element(of, of.begin() + static_cast<std::ptrdiff_t>(of.size() / 2));
    return of[of.size() / 2];
}

/// Seconds of the fastest run in a round.
double seconds_of(const Multiplication& m, int threads) {
    double least = 1e300;
    const double begin = seconds_now(threads);
    do {
        const double start = seconds_now(threads);
        m.run();
        least = std::min(least, seconds_now(threads) - start);
    } while (seconds_now(threads) - begin < seconds_per_round);
    return least;
}

/// Throws unless all variants give the same vector to rounding.
void check_results(const std::vector<Multiplication>& all, std::uint64_t elements) {
    const double* own = all.front().result();
    double largest = 0;
    for (std::uint64_t i = 0; i < elements; ++i) largest = std::max(largest, std::abs(own[i]));
    for (const Multiplication& m : all)
        for (std::uint64_t i = 0; i < elements; ++i)
            if (!(std::abs(m.result()[i] - own[i]) <= 1e-13 * largest))
                throw Error(ExitCode::numerical, "The variant \"" + m.name + "\" gives another product.");
}

/// Back ends other than the plain kernel of this program, which is no library.
std::vector<GemmBackend> libraries() {
    std::vector<GemmBackend> all = usable_gemm_backends();
    std::erase(all, GemmBackend::own);
    return all;
}

std::vector<Multiplication> make_variants(const Communicator& comm, const superblock::Target& target, int threads) {
    std::vector<Multiplication> all = {own_multiplication(comm, target, threads)};
    for (const GemmBackend backend : libraries()) {
        for (const LibraryVariant variant :
             {LibraryVariant::loops, LibraryVariant::tasks, LibraryVariant::batched, LibraryVariant::fused})
            all.push_back(library_multiplication(target, variant, backend, {threads, 1}));
        if (threads > 1) all.push_back(library_multiplication(target, LibraryVariant::loops, backend, {1, threads}));
    }
    return all;
}

/// Rate of matrix products of the currently fastest library.
double best_gemm_peak(int threads) {
    double best = 0;
    for (const GemmBackend backend : libraries()) best = std::max(best, gemm_peak(backend, threads));
    return best;
}

void run_case(const Communicator& comm, const KroneckerCase& of, int rounds) {
    const int threads = omp_get_max_threads();
    const superblock::Target target = make_target(of);
    const superblock::MultiplyPlan plan(target, superblock::Partition::automatic, 1, 0, threads);
    const auto all = make_variants(comm, target, threads);
    std::vector<double> fma, gemm;
    std::vector<std::vector<double>> rates(all.size()), fractions(all.size()), slower(all.size());
    for (const Multiplication& m : all) m.run();
    check_results(all, target.layout.elements());
    for (int round = 0; round < rounds; ++round) {
        fma.push_back(fma_peak(threads));
        gemm.push_back(best_gemm_peak(threads));
        for (std::size_t i = 0; i < all.size(); ++i) {
            rates[i].push_back(plan.flops() / seconds_of(all[i], threads) * 1e-9);
            fractions[i].push_back(100 * rates[i].back() / gemm.back());
            slower[i].push_back(rates[0].back() / rates[i].back());
        }
    }
    std::printf(
        "\n%d sites, M = %llu, K = %llu, width %g: %zu patches, %zu blocks, %.3f GFLOP; GEMM %.1f, FMA %.1f "
        "GFLOP/s\n\n",
        of.sites, static_cast<unsigned long long>(of.saved_states), static_cast<unsigned long long>(of.operators),
        of.width, target.layout.size(), target.terms.size(), plan.flops() * 1e-9, median(gemm), median(fma));
    std::printf(
        "| variant | ms | GFLOP/s | %% of GEMM | slower than own | operators, MiB |\n|---|---|---|---|---|---|\n");
    for (std::size_t i = 0; i < all.size(); ++i)
        std::printf("| %s | %.3f | %.1f | %.0f | %.2f | %.1f |\n", all[i].name.c_str(),
                    plan.flops() / median(rates[i]) * 1e-6, median(rates[i]), median(fractions[i]), median(slower[i]),
                    static_cast<double>(all[i].operator_bytes) / 1048576);
    std::fflush(stdout);
}

void run(const Communicator& comm, int rounds, const std::vector<KroneckerCase>& cases) {
    std::printf("%d thread(s)\n\n| back end | GFLOP/s of block products, 1 thread |\n|---|---|\n",
                omp_get_max_threads());
    const auto trials = try_gemm_backends();
    for (const auto& trial : trials) std::printf("| %s | %.1f |\n", describe(trial.backend).c_str(), trial.gflops);
    if (const std::string warning = blas_warning(); !warning.empty()) std::printf("\n%s\n", warning.c_str());
    for (const KroneckerCase& of : cases) run_case(comm, of, rounds);
}

/// Restarts the program with environment variables that restrict libraries to the instruction set of the kernels of
/// this program, because libraries select theirs when they are loaded.
void restrict_libraries(char** argv) {
    if (std::string(STRATA_BENCH_SIMD) != "x86_64_v3" || std::getenv("OPENBLAS_CORETYPE") != nullptr) return;
    setenv("OPENBLAS_CORETYPE", "Haswell", 1);
    setenv("LIBXSMM_TARGET", "hsw", 1);
    execv("/proc/self/exe", argv);
    throw Error(ExitCode::internal, "The benchmark could not begin anew.");
}

}  // namespace
}  // namespace strata::perf

int main(int argc, char** argv) {
    strata::perf::restrict_libraries(argv);
    return strata::mpi_session(argc, argv, [&](const strata::Communicator& comm) {
        std::vector<strata::perf::KroneckerCase> cases;
        for (const std::uint64_t m : {500, 1000, 2000}) cases.push_back({64, m, 8, 1});
        for (const std::uint64_t k : {1, 2, 4, 12, 16}) cases.push_back({64, 2000, k, 1});
        cases.push_back({144, 4000, 8, 1});
        for (const std::uint64_t k : {1, 8}) cases.push_back({64, 500, k, 0.05});
        if (argc > 5)
            cases = {{std::atoi(argv[2]), std::strtoull(argv[3], nullptr, 10), std::strtoull(argv[4], nullptr, 10),
                      std::atof(argv[5])}};
        strata::perf::run(comm, argc > 1 ? std::atoi(argv[1]) : 15, cases);
        return 0;
    });
}
