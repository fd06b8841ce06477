// SPDX-License-Identifier: BSD-3-Clause
// Benchmark of Trotter steps: milliseconds of one merged second-order step of this program, of the tuned algorithm of
// the paper (dente.hpp) and of one rotation per pass (naive.hpp), in one process. They alternate with a measurement of
// the bandwidth of in-place updates, and medians over the rounds are reported, so that other load on the machine
// affects all columns alike. The floor is the time of four passes that read and write the state. The baselines store
// their phases, so that their time does not depend on the couplings. Prints Markdown. trotter_bench_x86_64_v3 does the
// same for processors without AVX-512.
//   trotter_bench [--check] [--rounds=5] [--threads=1,2] [N ...]      default: 20 22 24
#include <omp.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "check.hpp"
#include "dente.hpp"
#include "engine.hpp"
#include "inplace_bandwidth.hpp"
#include "naive.hpp"
#include "strata/error.hpp"

namespace strata::perf {
namespace {

struct Options {
    bool check = false;
    int rounds = 5;
    std::vector<int> threads{1, 2}, spins;
};

/// One column of the table: the measurement of a round, and its results in seconds or bytes per second.
struct Column {
    std::function<double()> measure;
    std::vector<double> found;

    double median() {
        if (found.empty()) return NAN;
        std::sort(found.begin(), found.end());
        return found[found.size() / 2];
    }
};

/// A column of the seconds of one call, after one that warms the caches.
Column timed(const std::function<void()>& step) {
    if (!step) return {};
    return {[step] {
                step();
                const double start = monotonic_seconds();
                step();
                return monotonic_seconds() - start;
            },
            {}};
}

/// Both schemes of both baselines on one state, with tiles tuned for the literal and the merged step.
class Baselines {
  public:
    Baselines(const SpinProblem& problem, int threads)
        : threads_(threads),
          state_(problem.dimension()),
          literal_(problem, Scheme::literal),
          merged_(problem, Scheme::merged) {
#pragma omp parallel for schedule(static) num_threads(threads_)
        for (std::uint64_t i = 0; i < state_.size(); ++i) state_[i] = std::pow(2, -0.5 * problem.spins);
        shape = tuned_shape(literal_, problem.spins, threads, state_.view());
        merged_shape = tuned_shape(merged_, problem.spins, threads, state_.view());
        paper_ = std::make_unique<Dente>(literal_, problem.spins, shape, threads);
        merged_paper_ = std::make_unique<Dente>(merged_, problem.spins, merged_shape, threads);
    }
    std::function<void()> naive(Scheme scheme) {
        return [this, &s = scheme == Scheme::literal ? literal_ : merged_] { naive_step(s, state_.view(), threads_); };
    }
    std::function<void()> paper(Scheme scheme) {
        return [this, &d = scheme == Scheme::literal ? *paper_ : *merged_paper_] { d.step(state_.view()); };
    }
    TileShape shape{}, merged_shape{};

  private:
    int threads_;
    Buffer<Amplitude> state_;
    Splitting literal_, merged_;
    std::unique_ptr<Dente> paper_, merged_paper_;
};

enum : std::size_t { bandwidth, naive, naive_merged, paper, paper_merged, ring, all, ring_single, all_single, columns };

/// Medians of one system on a number of threads: seconds, or bytes per second in column `bandwidth`.
struct Row {
    int spins, threads;
    std::array<double, columns> median;

    /// Seconds of four passes that read and write 16 bytes per amplitude.
    double floor() const { return 4 * 32 * std::pow(2, spins) / median[bandwidth]; }
};

std::string text(TileShape shape) {
    return std::to_string(shape.low_spins) + " " + std::to_string(shape.high_spins) + " " +
           std::to_string(shape.row_bits);
}

void print_cell(double value, int digits) {
    if (std::isnan(value))
        std::printf(" | -");
    else
        std::printf(" | %.*f", digits, value);
}

void print_times_head() {
    std::printf(
        "ms per step. Tiles: low spins, high spins, row bits of the literal scheme; of the merged one\n\n"
        "| N | threads | GB/s in place | floor | one rotation per pass | merged | the paper's | merged | ring | all | "
        "ring, single | all, single | tiles |\n|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
}

void print_times(const Row& row, const Baselines& baselines) {
    std::printf("| %d | %d", row.spins, row.threads);
    print_cell(1e-9 * row.median[bandwidth], 1);
    const int digits = row.spins < 20 ? 4 : 1;
    print_cell(1e3 * row.floor(), digits);
    for (std::size_t column = naive; column < columns; ++column) print_cell(1e3 * row.median[column], digits);
    std::printf(" | %s; %s |\n", text(baselines.shape).c_str(), text(baselines.merged_shape).c_str());
    std::fflush(stdout);
}

/// Prints the quotients for which the engine has targets: of columns, and of rows of one N with more threads than its
/// first row.
void print_quotients(const std::vector<Row>& rows) {
    std::printf(
        "\nQuotients of these times\n\n"
        "| N | threads | paper / ring | paper / all | merged paper / ring | naive / ring | ring / floor | all / floor "
        "| "
        "single / double, ring | all | ring, first row / this row | paper | merged paper / floor |\n"
        "|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
    for (const Row& row : rows) {
        const auto& t = row.median;
        const auto& first = std::ranges::find(rows, row.spins, &Row::spins)->median;
        std::printf("| %d | %d", row.spins, row.threads);
        for (const double quotient :
             {t[paper] / t[ring], t[paper] / t[all], t[paper_merged] / t[ring], t[naive] / t[ring],
              t[ring] / row.floor(), t[all] / row.floor(), t[ring_single] / t[ring], t[all_single] / t[all],
              first[ring] / t[ring], first[paper] / t[paper], t[paper_merged] / row.floor()})
            print_cell(quotient, 2);
        std::printf(" |\n");
    }
}

Row measure(int spins, int threads, int rounds) {
    omp_set_num_threads(threads);
    const SpinProblem on_ring = heisenberg_ring(spins), on_all = heisenberg_all(spins);
    Baselines baselines(on_ring, threads);
    InplaceScale scale(threads);
    std::vector<Column> table(columns);
    table[bandwidth].measure = [&scale] { return scale.bandwidth(); };
    table[naive] = timed(baselines.naive(Scheme::literal));
    table[naive_merged] = timed(baselines.naive(Scheme::merged));
    table[paper] = timed(baselines.paper(Scheme::literal));
    table[paper_merged] = timed(baselines.paper(Scheme::merged));
    table[ring] = timed(make_engine_step(on_ring, EnginePrecision::double_, threads));
    table[all] = timed(make_engine_step(on_all, EnginePrecision::double_, threads));
    table[ring_single] = timed(make_engine_step(on_ring, EnginePrecision::single, threads));
    table[all_single] = timed(make_engine_step(on_all, EnginePrecision::single, threads));
    for (int round = 0; round < rounds; ++round)
        for (Column& column : table)
            if (column.measure) column.found.push_back(column.measure());
    Row row{spins, threads, {}};
    std::ranges::transform(table, row.median.begin(), &Column::median);
    print_times(row, baselines);
    return row;
}

std::vector<int> numbers(const std::string& list) {
    std::vector<int> found;
    std::istringstream words(list);
    for (std::string word; std::getline(words, word, ',');) found.push_back(std::atoi(word.c_str()));
    return found;
}

Options read_options(int argc, char** argv) {
    Options options;
    for (int i = 1; i < argc; ++i) {
        const std::string word = argv[i];
        if (word == "--check")
            options.check = true;
        else if (word.starts_with("--rounds="))
            options.rounds = std::max(1, std::atoi(word.substr(9).c_str()));
        else if (word.starts_with("--threads="))
            options.threads = numbers(word.substr(10));
        else
            options.spins.push_back(std::atoi(word.c_str()));
    }
    if (options.spins.empty()) options.spins = {20, 22, 24};
    return options;
}

int run(const Options& options) {
    if (options.check) {
        check_baselines();
        return 0;
    }
    print_times_head();
    std::vector<Row> rows;
    for (const int spins : options.spins)
        for (const int threads : options.threads) rows.push_back(measure(spins, threads, options.rounds));
    print_quotients(rows);
    return 0;
}

}  // namespace
}  // namespace strata::perf

int main(int argc, char** argv) {
    using namespace strata;
    try {
        return perf::run(perf::read_options(argc, argv));
    } catch (const Error& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return static_cast<int>(error.code());
    }
}
