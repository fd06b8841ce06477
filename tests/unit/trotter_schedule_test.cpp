// SPDX-License-Identifier: BSD-3-Clause
// Observed steps and their times, for forward and backward evolution and several batches of samples.
#include "trotter/physics/schedule.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/trotter_jobs.hpp"

namespace strata::trotter {
namespace {

using testing::DoubleEq;
using testing::ElementsAre;

TrotterConfig job(const std::string& run) {
    return trotter_job("[lattice]\ntype = ring\nextents = 4\n[model]\ntype = xx\n[run]\nstep = 0.1\n" + run);
}

std::vector<std::uint64_t> observed(const Schedule& schedule) {
    std::vector<std::uint64_t> steps;
    for (std::uint64_t step = 0; step < schedule.total_steps(); ++step)
        if (schedule.observes(step)) steps.push_back(step);
    return steps;
}

TEST(TrotterSchedule, ObservesEveryFewStepsAndTheEnd) {
    const Schedule schedule(job("steps = 8\nmeasure-every = 3\n"));
    EXPECT_EQ(schedule.total_steps(), 8U);
    EXPECT_THAT(observed(schedule), ElementsAre(2, 5, 7));
    EXPECT_DOUBLE_EQ(schedule.time(0), 0);
    EXPECT_DOUBLE_EQ(schedule.time(8), 0.8);
    EXPECT_FALSE(schedule.returning(7));
}

TEST(TrotterSchedule, ObservesListedTimes) {
    EXPECT_THAT(observed(Schedule(job("steps = 9\nmeasure-times = 0.7,0,0.5,0.3,0.1,0.7\n"))),
                ElementsAre(0, 2, 4, 6, 8));
    EXPECT_THAT(observed(Schedule(job("steps = 9\nmeasure-times = 0.3:0.9:0.2\n"))), ElementsAre(2, 4, 6, 8));
}

/// The times are 10^(i/3): 1, 2.2, 4.6, 10, 21.5, 46.4, 100.
TEST(TrotterSchedule, ObservesLogarithmicTimes) {
    EXPECT_THAT(observed(Schedule(job("steps = 50\nmeasure-per-decade = 3\n"))), ElementsAre(0, 1, 4, 9, 21, 45, 49));
    // 10^(i/6) is 1, 1.5, 2.2, 3.2, 4.6: the second and third are both step 2
    EXPECT_THAT(observed(Schedule(job("steps = 5\nmeasure-per-decade = 6\n"))), ElementsAre(0, 1, 2, 4));
}

/// Steps 4 to 7 evolve backward from 0.4 to 0.
TEST(TrotterSchedule, RunsBackInAnEcho) {
    const Schedule schedule(job("steps = 4\necho = yes\nmeasure-every = 3\n"));
    EXPECT_EQ(schedule.total_steps(), 8U);
    EXPECT_THAT(observed(schedule), ElementsAre(2, 5, 7));
    std::vector<double> times;
    for (std::uint64_t step = 0; step < 8; ++step) {
        EXPECT_EQ(schedule.returning(step), step >= 4);
        times.push_back(schedule.time(step + 1));
    }
    EXPECT_THAT(times, ElementsAre(DoubleEq(0.1), DoubleEq(0.2), DoubleEq(0.3), DoubleEq(0.4), DoubleEq(0.3),
                                   DoubleEq(0.2), DoubleEq(0.1), 0));
    // the same times during backward evolution
    EXPECT_THAT(observed(Schedule(job("steps = 4\necho = yes\nmeasure-times = 0.1,0.2\n"))),
                ElementsAre(0, 1, 5, 6, 7));
}

TEST(TrotterSchedule, RepeatsRounds) {
    const Schedule schedule(
        job("steps = 2\necho = yes\nsamples = 6\nconcurrent = 2\nmeasure-every = 3\n[state]\ninitial = random\n"));
    EXPECT_EQ(schedule.rounds(), 3U);
    EXPECT_EQ(schedule.steps_per_round(), 4U);
    EXPECT_EQ(schedule.total_steps(), 12U);
    EXPECT_THAT(observed(schedule), ElementsAre(2, 3, 6, 7, 10, 11));
    EXPECT_EQ(schedule.round(7), 1U);
    EXPECT_EQ(schedule.step_in_round(7), 3U);
    EXPECT_TRUE(schedule.returning(7));
    EXPECT_FALSE(schedule.returning(8));
}

}  // namespace
}  // namespace strata::trotter
