// SPDX-License-Identifier: BSD-3-Clause
// Spin dynamics on the ranks of this run: the same rows and the same state, bit by bit, as on one rank, for any
// threads, transport between ranks, number of concurrent states, and steps at which the run is interrupted.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <omp.h>

#include <bit>

#include "comm/collectives.hpp"
#include "support/error_of.hpp"
#include "support/restarts.hpp"
#include "support/shared_file.hpp"
#include "support/trotter_jobs.hpp"
#include "support/world.hpp"
#include "trotter/run/factory.hpp"
#include "trotter/run/trotter.hpp"

namespace strata::trotter {
namespace {

const std::string observables =
    "observables = sx,sy,sz,energy,loschmidt-echo,correlations-z,participation,entropy\ncut = 1,4,6\n";

std::string xyz(const std::string& lattice, int spins) {
    return "[lattice]\ntype = " + lattice + "\nextents = " + std::to_string(spins) +
           "\n[model]\njx = 1\njy = 0.7\njz = 0.4\ndisorder = 1\nfield-x = 0.3\nfield-y = -0.2\n";
}

/// An XYZ ring in random fields; from 10 spins on it uses light-cone passes.
std::string ring(int spins) { return xyz("ring", spins); }

/// Couplings between all spins that decay as the inverse square of the distance.
std::string all_pairs(int spins) { return xyz("all", spins) + "range = 2\n"; }

/// A system on some ranks.
Trotter system_on(const Communicator& comm, const std::string& job, Sharing sharing = Sharing::allowed,
                  const PlanOptions& options = {}) {
    return {TrotterPlan(trotter_job(job), comm.size(), comm.rank(), omp_get_max_threads(), BackendKind::cpu, options),
            host_state_maker(comm, sharing)};
}

struct Outcome {
    Series series;
    std::string hash;
};

Outcome run(const Communicator& comm, const std::string& job, int threads, Sharing sharing = Sharing::allowed,
            const PlanOptions& options = {}) {
    omp_set_num_threads(threads);
    Trotter system = system_on(comm, job, sharing, options);
    Series series = run_whole(system);
    return {std::move(series), io::state_hash(comm, system.state())};
}

/// True if the number of ranks is a power of two; others are rejected (TrotterPlans below).
bool ranks_divide() { return std::has_single_bit(static_cast<unsigned>(world().size())); }

void expect_same(const Outcome& found, const Outcome& expected) {
    EXPECT_TRUE(std::ranges::equal(found.series.values(), expected.series.values()));
    EXPECT_EQ(found.hash, expected.hash);
}

std::vector<std::string> jobs() {
    return {ring(9) + "[run]\nsteps = 6\n" + observables,
            ring(11) + "[run]\norder = 4\nsteps = 5\nmeasure-every = 3\n" + observables,
            ring(10) + "[state]\ninitial = random\n[run]\nsteps = 4\nsamples = 4\nconcurrent = 2\n" + observables,
            ring(9) + "[run]\nsteps = 3\nestimate-error = yes\n" + observables,
            all_pairs(10) + "[run]\nsteps = 3\n" + observables,
            ring(9) + "[run]\nmethod = chebyshev\nsteps = 2\nstep = 1.5\necho = yes\n" + observables +
                "[echo]\nperturbation = 0.1 Sz 0\n",
            ring(10) + "[state]\ninitial = random\n[run]\nmethod = chebyshev\nsteps = 2\nstep = 1\nsamples = 2\n" +
                "concurrent = 2\n" + observables,
            ring(12) + "[run]\nsteps = 4\n" + observables + "[backend]\nprecision = single\n",
            ring(8) +
                "[drive]\nfields = cos 1 0.5 2 0.25\njx = linear 0 1; 0.08 3; 0.09 -2\npulses = 0.1 x 0.5 all; 0.15 y "
                "1 0,3\n" +
                "[run]\norder = 1\nsteps = 5\necho = yes\n" + observables + "[echo]\nperturbation = 0.1 Sz 0\n"};
}

TEST(TrotterRuns, AreTheSameOnAnyRanks) {
    if (!ranks_divide()) GTEST_SKIP() << "no power of two";
    const Communicator self = Communicator::alone();
    for (const std::string& job : jobs()) {
        SCOPED_TRACE(job);
        const Outcome expected = run(self, job, 1);
        EXPECT_GT(expected.series.rows(), 2U);
        expect_same(run(self, job, 2), expected);
        for (const int threads : {1, 2})
            for (const Sharing sharing : {Sharing::allowed, Sharing::pairs, Sharing::none})
                expect_same(run(world(), job, threads, sharing), expected);
    }
}

/// The columns of a rank are exchanged in pieces of one block of a row, and of four, so that there are more pieces than
/// are in progress at once. In light-cone passes blocks are exchanged in pairs.
TEST(TrotterRuns, AreTheSameForAnyPieces) {
    if (!ranks_divide()) GTEST_SKIP() << "no power of two";
    for (const std::string& job :
         {ring(12) + "[run]\nsteps = 3\n" + observables, all_pairs(12) + "[run]\nsteps = 3\n" + observables,
          ring(13) + "[run]\nsteps = 2\n" + observables + "[backend]\nprecision = single\n",
          all_pairs(13) + "[run]\nsteps = 2\n" + observables + "[backend]\nprecision = single\n"}) {
        const Outcome expected = run(Communicator::alone(), job, 1);
        const TrotterPlan whole(trotter_job(job), world().size(), world().rank(), 1, BackendKind::cpu);
        const std::uint64_t least = whole.light_cone() ? 2 : 1;
        for (const std::uint64_t blocks : {least, 4 * least}) {
            const PlanOptions options = {.part_bytes = whole.part_bytes() / whole.part_row_blocks() * blocks};
            const TrotterPlan plan(trotter_job(job), world().size(), world().rank(), 1, BackendKind::cpu, options);
            EXPECT_EQ(plan.piece_blocks(), blocks);
            for (const Sharing sharing : {Sharing::pairs, Sharing::none})
                expect_same(run(world(), job, 2, sharing, options), expected);
        }
    }
}

/// Rows of one sample, which do not depend on the other samples.
std::vector<std::vector<double>> rows_of_sample(const Series& series, double sample) {
    std::vector<std::vector<double>> rows;
    for (std::size_t r = 0; r < series.rows(); ++r)
        if (const auto row = series.row(r); row[1] == sample) rows.emplace_back(row.begin(), row.end());
    return rows;
}

TEST(TrotterRuns, HaveTheSameRowsForAnyStatesInFlight) {
    if (!ranks_divide()) GTEST_SKIP() << "no power of two";
    const std::string job = ring(9) + "[state]\ninitial = polarised-random\nspin = 2\n[run]\nsteps = 3\nsamples = 4\n" +
                            observables + "concurrent = ";
    const Outcome expected = run(Communicator::alone(), job + "1\n", 1);
    for (const char* concurrent : {"1\n", "2\n", "4\n"})
        for (const Sharing sharing : {Sharing::allowed, Sharing::pairs, Sharing::none}) {
            const Outcome found = run(world(), job + concurrent, 1, sharing);
            for (int sample = 0; sample < 4; ++sample) {
                EXPECT_EQ(rows_of_sample(expected.series, sample).size(), 4U);
                EXPECT_EQ(rows_of_sample(found.series, sample), rows_of_sample(expected.series, sample)) << concurrent;
            }
        }
}

/// Runs the remaining steps from the file.
Outcome resume(const Communicator& comm, const std::string& job, const std::string& path) {
    Trotter system = system_on(comm, job);
    const std::uint64_t step = restore(comm, system, path);
    Series series = run_steps(system, step);
    return {std::move(series), io::state_hash(comm, system.state())};
}

/// Expects equal results if a run is interrupted after `step` steps on all ranks and resumed on one, and the other way
/// round.
void expect_resumed(const std::string& job, std::uint64_t step, const Outcome& whole) {
    SCOPED_TRACE(testing::Message() << "after step " << step << "\n" << job);
    const Communicator self = Communicator::alone();
    const auto expect_rest = [&](const Outcome& rest) {
        const std::span<const double> all = whole.series.values(), values = rest.series.values();
        ASSERT_LE(values.size(), all.size());
        EXPECT_TRUE(std::ranges::equal(values, all.last(values.size())));
        EXPECT_EQ(rest.hash, whole.hash);
    };
    const auto interrupt_on = [&](const Communicator& comm, const std::string& path) {
        Trotter system = system_on(comm, job);
        interrupt(comm, system, step, path);
    };
    const SharedFile there;
    interrupt_on(world(), there.path());
    expect_rest(resume(self, job, there.path()));
    const SharedFile back;
    if (world().is_root()) interrupt_on(self, back.path());
    all_max(world(), 0);
    expect_rest(resume(world(), job, back.path()));
}

/// Between two observations the sequence of layers is open: the stored state is transformed.
TEST(TrotterRuns, AreTakenUpAgainAfterEveryStep) {
    if (!ranks_divide()) GTEST_SKIP() << "no power of two";
    omp_set_num_threads(1);
    const std::string rare = "measure-every = 100\n";
    for (const std::string& job :
         {ring(9) + "[run]\nsteps = 4\n" + observables, ring(9) + "[run]\nsteps = 5\n" + rare + observables,
          ring(8) +
              "[drive]\njz = cos 0 1 3 0.2\nfields = linear 0.06 1; 0.07 3\npulses = 0.05 x 0.3 all\n[run]\norder = "
              "4\nsteps = 3\necho = yes\n" +
              rare + observables + "[echo]\nperturbation = 0.1 Sx 0 Sx 2\npulse = y 1 0\n",
          ring(8) + "[state]\ninitial = random\n[run]\nsteps = 3\nsamples = 2\n" + rare + observables,
          ring(8) + "[run]\nsteps = 4\nmeasure-every = 3\nestimate-error = yes\n" + observables,
          ring(8) + "[run]\nmethod = chebyshev\nstep = 2\nsteps = 3\n" + rare + observables,
          ring(9) + "[run]\nsteps = 4\nmeasure-every = 3\n" + observables + "[backend]\nprecision = single\n"}) {
        const Outcome whole = run(Communicator::alone(), job, 1);
        const std::uint64_t steps = system_on(Communicator::alone(), job).total_steps();
        for (std::uint64_t step = 0; step < steps; ++step) expect_resumed(job, step, whole);
    }
}

/// The sequence is closed after 1024 steps even if nothing is observed.
TEST(TrotterRuns, AreTakenUpAgainAfterManyOpenSteps) {
    if (!ranks_divide()) GTEST_SKIP() << "no power of two";
    omp_set_num_threads(1);
    const std::string job = ring(7) + "[run]\nsteps = 2100\nmeasure-every = 5000\nstep = 0.01\n" + observables;
    const Outcome whole = run(Communicator::alone(), job, 1);
    for (const std::uint64_t step : {1000U, 1024U, 2049U}) expect_resumed(job, step, whole);
}

/// After every step of an ensemble the results are means over the states of all finished batches of samples, with or
/// without an echo; during the first batch they are means over its states.
TEST(TrotterRuns, ResultsSoFarAreThoseOfFinishedStates) {
    if (!ranks_divide()) GTEST_SKIP() << "no power of two";
    for (const char* lines : {"echo = yes\n", "measure-every = 2\n", "measure-every = 100\necho = yes\n"}) {
        Trotter system = system_on(world(), ring(8) +
                                                "[state]\ninitial = random\n[run]\nsteps = 3\nstep = 0.3\nsamples = 8\n"
                                                "concurrent = 4\nobservables = sz,loschmidt-echo\n" +
                                                lines);
        system.allocate();
        system.initialise();
        Series series(system.columns());
        observe(system, series);
        const std::uint64_t steps_per_round = system.total_steps() / 2;
        std::vector<std::vector<double>> last(8);  // last row of each state in its batch of samples
        for (std::uint64_t step = 0; step < system.total_steps(); ++step) {
            system.step(step);
            if (system.observes(step)) observe(system, series);
            if (!world().is_root()) continue;
            // an observation has four rows; the first of the next batch is made together with the last of the batch
            // before
            const bool ends = (step + 1) % steps_per_round == 0, more = ends && step + 1 < system.total_steps();
            const std::size_t end = series.rows() - (more ? 4 : 0);
            const bool first_round = step < steps_per_round;
            if (ends || first_round)
                for (std::size_t r = end - 4; r < end; ++r)
                    last[static_cast<std::size_t>(series.row(r)[1])].assign(series.row(r).begin(), series.row(r).end());
            std::size_t states = 0;
            double sz = 0, time = 0;
            for (const auto& row : last)
                if (!row.empty()) ++states, time = row[0], sz += row[4];  // time, sample, norm, loschmidt-echo, sz-0
            SCOPED_TRACE(testing::Message() << lines << "after step " << step);
            for (const Quantity& q : system.results(series)) {
                if (q.name == "states") {
                    EXPECT_EQ(q.value[0], static_cast<double>(states));
                } else if (q.name == "time") {
                    EXPECT_DOUBLE_EQ(q.value[0], time);
                } else if (q.name == "sz") {
                    EXPECT_NEAR(q.value[0], sz / static_cast<double>(states), 1e-14);
                }
            }
        }
    }
}

/// The truncation of the series of a step may change the norm; further deviations are errors.
TEST(TrotterRuns, NormsMayDifferByTheTolerance) {
    if (!ranks_divide()) GTEST_SKIP() << "no power of two";
    const auto says = [](const std::string& run, double norm) {
        return system_on(Communicator::alone(), ring(8) + "[run]\nobservables = energy\nsteps = 100\n" + run)
            .broken_invariant(std::vector{0.0, norm, 1.0});
    };
    EXPECT_EQ(says("", 1 + 5e-9), "");
    EXPECT_THAT(says("", 1 - 5e-8),
                testing::HasSubstr("norm less 1 is -5e-08, outside of -1e-08 to 1e-08, the bounds by rounding."));
    EXPECT_EQ(says("method = chebyshev\ntolerance = 1e-6\n", 1 - 5e-5), "");
    EXPECT_THAT(says("method = chebyshev\ntolerance = 1e-6\n", 1 - 2e-4), testing::HasSubstr("run.tolerance"));
    EXPECT_THAT(says("method = chebyshev\n", 1 + 2e-8), testing::HasSubstr("norm less 1 is 2e-08"));
}

/// Spins beyond 1/2 by more than rounding, and entropies of two spins beyond 2 ln 2, are errors.
TEST(TrotterRuns, ObservablesHaveBounds) {
    const auto says = [](const std::string& observable, double value) {
        const Trotter system =
            system_on(Communicator::alone(), ring(8) + "[run]\nsteps = 1\nobservables = " + observable + "\n");
        std::vector<double> row(system.columns().size());
        row[1] = 1;  // norm
        row.back() = value;
        return system.broken_invariant(row);
    };
    EXPECT_EQ(says("sx", -0.5), "");
    EXPECT_EQ(says("sz", 0.500002), "sz-7 is 0.500002, outside of -0.500001 to 0.500001, the bounds by a spin of 1/2.");
    const std::string entropy = "entropy\ncut = 0,1";
    EXPECT_EQ(says(entropy, 2 * std::log(2.0)), "");
    EXPECT_THAT(says(entropy, 1.4), testing::HasSubstr("entropy is 1.4, outside of"));
    EXPECT_THAT(says(entropy, -1e-3), testing::HasSubstr("the bounds by the spins of run.cut"));
}

/// Text about the energy after a run of this job, by broken_invariant() or by remark(), on rank 0.
std::string told_of_energy(const std::string& job, std::uint64_t resumed_at = 0) {
    Trotter system = system_on(world(), job);
    system.allocate();
    system.initialise();
    Series series(system.columns());
    std::string broken;
    const auto look = [&] {
        std::vector<double> rows;
        system.observe(rows);
        for (std::size_t at = 0; at < rows.size(); at += series.width()) {
            const std::span<const double> row(rows.data() + at, series.width());
            if (broken.empty()) broken = system.broken_invariant(row);
            series.append(row);
        }
    };
    look();
    for (std::uint64_t step = 0; step < system.total_steps(); ++step) {
        system.step(step);
        if (system.observes(step)) look();
    }
    if (resumed_at > 0) {  // the rows up to there, as a resumed run gets them
        Trotter resumed = system_on(world(), job);
        Series rows(resumed.columns());
        for (std::size_t r = 0; r < series.rows() && r < resumed_at; ++r) rows.append(series.row(r));
        resumed.resume_series(1, rows);
        return resumed.broken_invariant(series.row(0)) + resumed.remark();
    }
    return broken + system.remark();
}

/// Where H is constant the energy is, too, between two pulses and on each way of an echo.
TEST(TrotterRuns, EndWhereTheEnergyChanges) {
    if (world().size() > 2) GTEST_SKIP() << "the rows of 6 spins are for two ranks";
    using testing::HasSubstr;
    const std::string chain =
        "[lattice]\ntype = chain\nextents = 6\n[model]\ntype = heisenberg\nfield-x = 0.7\n[run]\nobservables = "
        "energy\n";
    const std::string wrong = told_of_energy(chain + "step = 10\nsteps = 2\n");
    EXPECT_THAT(wrong,
                HasSubstr("the energy has changed by 1.45 since time 0, 0.16 of the width of the spectrum, although "
                          "H is constant: the time step is too large; take run.step = 0.79 or less."));
    EXPECT_THAT(told_of_energy(chain + "step = 10\nsteps = 2\n", 2), HasSubstr("the energy has changed by 1.45"));
    EXPECT_THAT(told_of_energy(chain + "step = 10\nsteps = 2\n", 1), testing::Not(HasSubstr("the energy has changed")));
    EXPECT_THAT(told_of_energy(chain + "step = 0.9\nsteps = 20\n"), HasSubstr("the energy changed by up to"));
    EXPECT_EQ(told_of_energy(chain + "step = 0.05\nsteps = 20\n"), "");
    EXPECT_EQ(told_of_energy(chain + "method = chebyshev\nstep = 10\nsteps = 2\n"), "");
    // pulses, drives, and another H on the way back change the energy
    const std::string turn = "[drive]\npulses = 0 x 0.5 even; 0.5 y 0.5 all\n";
    EXPECT_EQ(told_of_energy(chain + "step = 0.05\nsteps = 20\n" + turn), "");
    EXPECT_EQ(told_of_energy(chain + "step = 0.05\nsteps = 20\n[drive]\ncouplings = linear 0 1; 1 3\n"), "");
    for (const char* rows : {"measure-every = 1\n", "measure-every = 9\n", "measure-times = 0,0.3,0.35\n"})
        for (const std::uint64_t resumed_at : {0U, 100U})
            EXPECT_EQ(told_of_energy(chain + "step = 0.05\nsteps = 20\necho = yes\n" + rows + turn +
                                         "[echo]\nperturbation = 5 Sx 0; 3 Sz 1 Sz 2\npulse = x 0.3 all\n",
                                     resumed_at),
                      "");
}

/// The ensemble ends with the first batch of samples whose error, computed here from the rows, is below the target.
TEST(TrotterRuns, EndWithAnError) {
    if (!ranks_divide()) GTEST_SKIP() << "no power of two";
    omp_set_num_threads(1);
    const std::string job =
        ring(9) +
        "[state]\ninitial = polarised-random\nspin = 6\n[run]\nsteps = 2\nstep = 0.5\nsamples = 64\n"
        "concurrent = 2\nobservables = sz\ntarget-error = 0.0019\ntarget-observable = sz-2\n"
        "target-time = 0.5\n";
    const Outcome whole = run(Communicator::alone(), job, 1);
    expect_same(run(world(), job, 1), whole);
    std::vector<double> values;
    std::size_t states = 0;
    for (std::size_t r = 0; r < whole.series.rows(); ++r) {
        const auto row = whole.series.row(r);  // time, sample, norm, sz-0, ...
        if (row[0] == 0.5) values.push_back(row[5]);
        if (row[0] != 0.5 || values.size() < 16 || values.size() % 2 == 1 || states > 0) continue;
        double mean = 0, square = 0;
        const auto n = static_cast<double>(values.size());
        for (const double v : values) mean += v / n;
        for (const double v : values) square += (v - mean) * (v - mean);
        if (std::sqrt(square / (n * (n - 1))) <= 0.0019) states = values.size();
    }
    ASSERT_GT(states, 16U);
    ASSERT_LT(states, 64U);
    ASSERT_EQ(values.size(), states);
    for (const std::uint64_t step : {std::uint64_t{1}, states - 2, states - 1}) expect_resumed(job, step, whole);
}

TEST(TrotterRuns, ReturnToTheirStart) {
    if (!ranks_divide()) GTEST_SKIP() << "no power of two";
    const Outcome echo =
        run(world(),
            ring(9) +
                "[drive]\ncouplings = cos 1 0.5 2 0\nhx = linear 0 1; 0.13 3; 0.14 -2\npulses = 0.1 x 0.5 all; 0.1 z "
                "0.2 1\n" +
                "[run]\norder = 4\nsteps = 20\nmeasure-every = 10\necho = yes\n" + "observables = loschmidt-echo,sz\n",
            1);
    const std::size_t rows = echo.series.rows();
    ASSERT_EQ(rows, 5U);
    EXPECT_LT(echo.series.row(2)[2], 0.5);  // time, norm, echo
    EXPECT_NEAR(echo.series.row(rows - 1)[2], 1, 1e-12);
    for (std::size_t c = 3; c < 12; ++c) EXPECT_NEAR(echo.series.row(rows - 1)[c], echo.series.row(0)[c], 1e-12);
}

std::string refusal(int ranks, const std::string& job) {
    return error_of(ExitCode::bad_input, [&] { TrotterPlan(trotter_job(job), ranks, 0, 1, BackendKind::cpu); });
}

TEST(TrotterPlans, NameTheNumbersOfRanksThatDivideAState) {
    const std::string job = ring(9) + "[run]\nsteps = 1\n";  // 8 rows
    for (const int ranks : {1, 2, 4, 8}) EXPECT_EQ(refusal(ranks, job), "");
    EXPECT_THAT(refusal(3, job), testing::AllOf(testing::HasSubstr("not 3"), testing::HasSubstr("start 2 or 4.")));
    EXPECT_THAT(refusal(6, job), testing::HasSubstr("start 4 or 8."));
    EXPECT_THAT(refusal(11, job), testing::HasSubstr("start 8."));
    EXPECT_THAT(refusal(16, job), testing::HasSubstr("start at most 8."));
    EXPECT_EQ(refusal(1, ring(33) + "[run]\nsteps = 1\n"), "");
    EXPECT_THAT(refusal(1, ring(34) + "[run]\nsteps = 1\n"), testing::HasSubstr("at most 33 spins"));
    EXPECT_EQ(refusal(16, job + "samples = 2\nconcurrent = 2\n[state]\ninitial = random\n"), "");
}

}  // namespace
}  // namespace strata::trotter
