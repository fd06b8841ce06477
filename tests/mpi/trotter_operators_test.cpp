// SPDX-License-Identifier: BSD-3-Clause
// Expectation values of the operators of observables.file on the ranks of this run: the same rows, bit by bit, as on one
// rank, for any threads, transport between ranks, states in flight and slabs of amplitudes.
#include <gtest/gtest.h>
#include <omp.h>

#include <bit>

#include "support/runs.hpp"
#include "support/trotter_jobs.hpp"
#include "support/world.hpp"
#include "trotter/run/factory.hpp"
#include "trotter/run/trotter.hpp"

namespace strata::trotter {
namespace {

/// On at least 8 spins: diagonal operators, and such that flip spins within tiles, blocks, slabs and ranks.
const char* const operators_of_test =
    "zz = 1 Sz {i} Sz {j}\nxx = 1 Sx {i} Sx {j}\nhop = 0.5i S+ {i} S- {j}\nring = 1 S+ 0 S- 3 S+ 5 S- 7\n"
    "ring = -2 Sz 0 Sx 7\nparity = 1 Z 0 Z 1 Z 2 Z 3 Z 4 Z 5 Z 6 Z 7\nstring = 1+2i Sx 0 Z 1 Z 2 Z 3 Z 4 Z 5 Sy 6\n";

/// An XYZ model on a ring or on all pairs, with the keys of [run] and further sections.
std::string observed_job(const std::string& lattice, int spins, const std::string& run,
                         const std::string& precision = "double") {
    return "[lattice]\ntype = " + lattice + "\nextents = " + std::to_string(spins) +
           "\n[model]\njx = 1\njy = 0.7\njz = 0.4\ndisorder = 1\nfield-x = 0.3\nfield-y = -0.2\n" +
           "[observables]\nfile = " + written(operators_of_test) + "\n[backend]\nprecision = " + precision +
           "\n[run]\nobservables = energy\n" + run;
}

std::vector<double> observed_rows(const Communicator& comm, const std::string& job, int threads, Sharing sharing,
                                  const PlanOptions& options = {}) {
    omp_set_num_threads(threads);
    Trotter system(TrotterPlan(trotter_job(job), comm.size(), comm.rank(), threads, BackendKind::cpu, options),
                   host_state_maker(comm, sharing));
    const Series series = run_whole(system);
    return {series.values().begin(), series.values().end()};
}

TEST(TrotterOperators, AreTheSameOnAnyRanks) {
    if (!std::has_single_bit(static_cast<unsigned>(world().size()))) GTEST_SKIP() << "no power of two ranks";
    for (const std::string& job :
         {observed_job("ring", 9, "steps = 3\nestimate-error = yes\n"), observed_job("all", 12, "steps = 2\n"),
          observed_job("ring", 9, "steps = 2\necho = yes\n", "single"),
          observed_job("ring", 9, "method = chebyshev\nstep = 1.5\nsteps = 2\n"),
          observed_job("ring", 10, "steps = 2\nsamples = 4\nconcurrent = 2\n[state]\ninitial = random\n")}) {
        SCOPED_TRACE(job);
        const std::vector<double> expected = observed_rows(Communicator::alone(), job, 1, Sharing::allowed);
        for (const int threads : {1, 2})
            for (const Sharing sharing : {Sharing::allowed, Sharing::none})
                EXPECT_EQ(observed_rows(world(), job, threads, sharing), expected);
    }
}

/// Terms that flip spins within tiles, rows and ranks, on one state and on several at once, there and back.
const char* const terms_of_test =
    "0.3 Sx {i} Sy {i+1}\n0.4 X {i} Z {i+1} X {i+2}\n0.7-0.2i S+ 0 S- 3 S+ 5 S- 8\n0.5 Sz 0 Sz 4 Sz 8 Sx 7\n"
    "0.2 Sz {i} Sz {i+1} Sz {i+2}\n0.1 Sx 0 Sx 1 Sx 6 Sx 7 Sy 8\n";

TEST(TrotterOperators, InTheHamiltonianAreTheSameOnAnyRanks) {
    if (!std::has_single_bit(static_cast<unsigned>(world().size()))) GTEST_SKIP() << "no power of two ranks";
    const std::string start =
        "[lattice]\ntype = ring\nextents = 9\n[model]\ntype = xyz\njx = 1\njy = 0.7\nfield = 0.3\nterms = " +
        written(terms_of_test) + "\n";
    const std::string back = "[echo]\nperturbation = 0.3 Sx 0 Sz 8; 0.1 Sz 1\n";
    const std::string run = "[run]\nmethod = chebyshev\nstep = 0.4\nsteps = 2\n";
    for (const std::string& job :
         {start + run, start + run + "echo = yes\n" + back, start + "[backend]\nprecision = single\n" + run,
          start + "[state]\ninitial = random\n" + run + "samples = 2\nconcurrent = 2\n"}) {
        SCOPED_TRACE(job);
        const std::vector<double> expected = observed_rows(Communicator::alone(), job, 1, Sharing::allowed);
        for (const int threads : {1, 2})
            for (const Sharing sharing : {Sharing::allowed, Sharing::pairs, Sharing::none})
                EXPECT_EQ(observed_rows(world(), job, threads, sharing), expected);
        EXPECT_EQ(observed_rows(world(), job, 1, Sharing::none, {.part_bytes = 1}), expected);  // slabs of a row
    }
}

/// Slabs of a row, and of four, so that a rank has several of them.
TEST(TrotterOperators, AreTheSameForAnySlabs) {
    if (!std::has_single_bit(static_cast<unsigned>(world().size()))) GTEST_SKIP() << "no power of two ranks";
    for (const char* const precision : {"double", "single"}) {
        const std::string job = observed_job("all", 13, "steps = 1\n", precision);
        const std::vector<double> expected = observed_rows(Communicator::alone(), job, 1, Sharing::allowed);
        const int row_bits = default_layout(13, trotter_job(job).precision, BackendKind::cpu).row_bits;
        for (const int more : {0, 2}) {
            const PlanOptions options = {.slab_bits = row_bits + more};
            EXPECT_EQ(observed_rows(Communicator::alone(), job, 2, Sharing::allowed, options), expected);
            EXPECT_EQ(observed_rows(world(), job, 2, Sharing::allowed, options), expected);
        }
    }
}

}  // namespace
}  // namespace strata::trotter
