// SPDX-License-Identifier: BSD-3-Clause
// The run loop, with an application for tests.
#include "run/run.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <bit>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <limits>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "cli/job.hpp"
#include "comm/collectives.hpp"
#include "comm/placement.hpp"
#include "run/memory_check.hpp"
#include "run/stop_signals.hpp"
#include "run/watchdog.hpp"
#include "strata/error.hpp"
#include "study/registry.hpp"
#include "study/study_source.hpp"
#include "support/error_of.hpp"
#include "support/world.hpp"
#include "swendsen_wang/run/swendsen_wang.hpp"
#include "swendsen_wang/state/observation.hpp"

namespace strata {
namespace {

/// An application that counts its steps; step `bad_step` observes an impossible value.
class Counter : public Application {
  public:
    explicit Counter(std::uint64_t bad_step) : bad_step_(bad_step) {}
    std::vector<std::string> description() const override { return {}; }
    std::string backend() const override { return "cpu"; }
    MemoryPrediction memory() const override { return {}; }
    void allocate() override {}
    void initialise() override { state_ = 0; }
    std::vector<DistributedArray> state() override {
        return {host_array({"n", ElementType::u64, 1, 1}, {0, 1}, &state_, 1)};
    }
    void restored(std::uint64_t) override {}
    std::uint64_t total_steps() const override { return 10; }
    std::string step_name() const override { return "steps"; }
    void step(std::uint64_t) override { ++state_; }
    bool observes(std::uint64_t) const override { return true; }
    const std::vector<Column>& columns() const override { return columns_; }
    void observe(std::vector<double>& rows) override { rows.push_back(static_cast<double>(state_)); }
    std::string broken_invariant(std::span<const double> row) const override {
        return row[0] == static_cast<double>(bad_step_) ? "the count is cursed." : "";
    }
    std::vector<Quantity> results(const Series& series) const override {
        return {{"count", "1", "", {static_cast<double>(series.rows())}}};
    }
    std::vector<Figure> performance(std::uint64_t, double) const override { return {}; }

  private:
    std::uint64_t state_ = 0, bad_step_;
    std::vector<Column> columns_ = {{"n", "1", ""}};
};

RunOptions quiet_setting() {
    RunOptions options;
    options.config = read_job_from_text("t", applications().front().example, {{"checkpoint.interval", "0"}}).config;
    options.verbosity = Verbosity::silent;
    return options;
}

TEST(Run, EndsAtTheFirstOfItsTwoLimits) {
    RunOptions options = quiet_setting();
    options.start = 1000;
    options.config = read_job_from_text("t", applications().front().example, {{"run.wall-time", "60s"}}).config;
    EXPECT_EQ(wall_end(options), 1060);
    options.batch_end = 1030;
    EXPECT_EQ(wall_end(options), 1030);
    setenv("SLURM_JOB_END_TIME", std::to_string(std::time(nullptr) + 100).c_str(), 1);
    EXPECT_NEAR(batch_end(), monotonic_seconds() + 100, 2);
    unsetenv("SLURM_JOB_END_TIME");
    EXPECT_TRUE(std::isinf(batch_end()));
}

TEST(Run, KeepsTheDispositionOfIgnoredSignals) {
    const std::pair<int, bool> cases[] = {{SIGTERM, true}, {SIGINT, true},   {SIGHUP, true},
                                          {SIGXCPU, true}, {SIGUSR1, false}, {SIGUSR2, false}};
    std::vector<struct sigaction> before(std::size(cases));
    for (std::size_t i = 0; i < before.size(); ++i) sigaction(cases[i].first, nullptr, &before[i]);
    for (const bool ignored : {true, false}) {
        for (const auto& [number, respected] : cases) std::signal(number, ignored ? SIG_IGN : SIG_DFL);
        install_signal_handlers();
        for (const auto& [number, respected] : cases) {
            struct sigaction now {};
            sigaction(number, nullptr, &now);
            EXPECT_EQ(now.sa_handler == SIG_IGN, ignored && respected) << number;
            EXPECT_NE(now.sa_handler, SIG_DFL) << number;
        }
    }
    for (std::size_t i = 0; i < before.size(); ++i) sigaction(cases[i].first, &before[i], nullptr);
}

TEST(Run, MakesAllStepsAndReports) {
    const Communicator alone = Communicator::alone();
    Counter counter(1000);
    PointRecord record;
    run(alone, counter, quiet_setting(), nullptr, record);
    EXPECT_EQ(record.state, PointState::finished);
    EXPECT_EQ(record.exit_code, 0);
    EXPECT_EQ(record.steps, 10u);
    EXPECT_EQ(record.quantities.at(0).value.at(0), 10);
    EXPECT_EQ(record.state_hash.size(), 16u);
}

TEST(Run, ABrokenInvariantEndsItWithTheNumbers) {
    const Communicator alone = Communicator::alone();
    Counter counter(4);
    PointRecord record;
    EXPECT_THAT(error_of(ExitCode::numerical, [&] { run(alone, counter, quiet_setting(), nullptr, record); }),
                testing::HasSubstr("Step 3 gave an impossible result: the count is cursed."));
}

/// A job of five times the free memory fits on 6 ranks if any number is possible, and on 8 if only powers of two are.
TEST(FreeMemory, NamesANumberOfRanksThatTheJobCanUse) {
    const Communicator alone = Communicator::alone();
    const FreeMemory memory(alone, find_placement(alone), nullptr);
    const auto share = [all = 5 * available_memory()](int ranks) {
        MemoryPrediction needed;
        needed.host.push_back({"vector", all / static_cast<std::uint64_t>(ranks)});
        return needed;
    };
    const auto sentence = [&](const std::function<int(int)>& next_ranks) {
        return error_of<CollectiveError>(ExitCode::does_not_fit, [&] { memory.check(share(1), 1, share, next_ranks); });
    };
    EXPECT_THAT(sentence([](int ranks) { return ranks; }), testing::HasSubstr(" 6 ranks would fit"));
    EXPECT_THAT(sentence([](int ranks) { return static_cast<int>(std::bit_ceil(static_cast<unsigned>(ranks))); }),
                testing::HasSubstr(" 8 ranks would fit"));
    EXPECT_THAT(sentence([](int ranks) { return ranks <= 4 ? ranks : 0; }),
                testing::HasSubstr("No number of ranks makes it fit"));
}

/// The longest timeout must not overflow the clock, which would make every wait return at once.
TEST(Watchdogs, WaitForEver) {
    const std::clock_t before = std::clock();
    {
        const Watchdog watchdog(2e10, [](double) { FAIL() << "no step was due"; });
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
    }
    EXPECT_LT(std::clock() - before, CLOCKS_PER_SEC / 10) << "processor time";
}

TEST(Watchdogs, ReportOnceInASecond) {
    std::atomic<int> reports = 0;
    {
        const Watchdog watchdog(1e-9, [&](double) { ++reports; });
        std::this_thread::sleep_for(std::chrono::milliseconds(1200));
    }
    EXPECT_GE(reports, 1);
    EXPECT_LE(reports, 3);
}

TEST(Recordings, NameTheValueThatFits) {
    Recording r = {.rows = 1000000, .columns = 9, .key = "run.measure-every", .value = 3};
    EXPECT_EQ(r.bytes(), 80000000u);
    EXPECT_EQ(r.remedy(2), "lower run.measure-every to 1");
    r.rows_change = Recording::Rows::fall_with_key;
    EXPECT_EQ(r.remedy(2), "raise run.measure-every to 6");
    EXPECT_EQ(r.remedy(41.3), "raise run.measure-every to 130");
    r.rows = std::numeric_limits<std::uint64_t>::max() / 3;
    EXPECT_EQ(r.bytes(), std::numeric_limits<std::uint64_t>::max());
}

TEST(Invariants, OfSwendsenWang) {
    using namespace swendsen_wang;
    const Communicator alone = Communicator::alone();
    SwendsenWangConfig config;
    config.extents = {16, 16};
    config.beta = 0.4;
    config.sweeps = 2;
    config.simd = "auto";
    SwendsenWang<Cpu> system(alone, SwendsenWangPlan(config, 1, 0, 1));
    system.allocate();
    system.initialise();
    std::vector<double> good;
    system.step(0);
    system.observe(good);
    EXPECT_EQ(system.broken_invariant(good), "");
    const std::pair<SeriesColumn, double> impossible[] = {{energy_column, -2.01},         {energy_column, std::nan("")},
                                                          {absolute_magnetisation, 1.01}, {largest_cluster, 1.5},
                                                          {cluster_count, -0.1},          {structure_factor, -1}};
    for (const auto& [column, value] : impossible) {
        std::vector<double> bad = good;
        bad[column] = value;
        EXPECT_NE(system.broken_invariant(bad), "") << column;
    }
}

}  // namespace
}  // namespace strata
