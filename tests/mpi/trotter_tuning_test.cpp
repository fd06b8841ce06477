// SPDX-License-Identifier: BSD-3-Clause
// Measured plans: every possible plan gives the same results to rounding, states are portable between plans, and the
// file of plans is read, replaced atomically and validated.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <omp.h>
#include <unistd.h>

#include <bit>
#include <filesystem>
#include <fstream>

#include "comm/collectives.hpp"
#include "support/error_of.hpp"
#include "support/packed_state.hpp"
#include "support/runs.hpp"
#include "support/trotter_jobs.hpp"
#include "support/world.hpp"
#include "trotter/run/factory.hpp"
#include "trotter/run/tuning.hpp"

namespace strata::trotter {
namespace {

TrotterConfig job(const std::string& more = "") {
    return trotter_job(
        "[lattice]\ntype = ring\nextents = 12\n[model]\njx = 1\njy = 0.7\njz = 0.4\ndisorder = 1\nfield-x = "
        "0.3\n[run]\n"
        "steps = 4\nmeasure-every = 2\nobservables = sx,sy,sz,energy,loschmidt-echo,correlations-z\n" +
        more);
}

TrotterPlan plan_of(const TrotterConfig& config, const PlanOptions& options = {}) {
    return {config, world().size(), world().rank(), 1, BackendKind::cpu, options};
}

const std::string first_line = "# Plans of strata trotter, as measured by backend.tune = refresh\n";

class TrotterTuning : public testing::Test {
  protected:
    void SetUp() override {
        if (!std::has_single_bit(static_cast<unsigned>(world().size()))) GTEST_SKIP() << "no power of two ranks";
        omp_set_num_threads(1);
        folder_ = testing::TempDir() + "strata_tuning_" + std::to_string(getpid());
        broadcast(world(), folder_);
    }
    void TearDown() override {
        all_max(world(), 0);
        if (world().is_root()) std::filesystem::remove_all(folder_);
    }
    std::string path() const { return folder_ + "/below/plans.txt"; }

    PlanOptions tuned(const std::string& tune, const std::string& machine = "this one") const {
        const TrotterConfig config = job("[backend]\ntune = " + tune + "\ntune-file = " + path() + "\n");
        return tuned_plan(world(), {config, 1, BackendKind::cpu, 0, machine}, host_state_maker(world()));
    }
    /// Content of the file of plans as read by rank 0, on all ranks.
    std::string content() const {
        std::ifstream file(path());
        std::string head, text;
        std::getline(file, head);
        EXPECT_EQ(head + "\n", world().is_root() ? first_line : head + "\n");
        text.assign(std::istreambuf_iterator<char>(file), {});
        broadcast(world(), text);
        return text;
    }
    void write(const std::string& text, const std::string& head = first_line) const {
        if (world().is_root()) std::ofstream(path()) << head << text;
    }

    std::string folder_;
};

TEST_F(TrotterTuning, EveryPlanComputesTheSame) {
    const TrotterConfig config = job();
    const auto rows = [&](const PlanOptions& options) {
        Trotter system(plan_of(config, options), host_state_maker(world()));
        const Series series = run_whole(system);
        return std::vector<double>(series.values().begin(), series.values().end());
    };
    const std::vector<double> expected = rows({});
    const std::vector<PlanOptions> plans = possible_plans({config, 1, BackendKind::cpu, 0, ""}, world().size());
    EXPECT_GE(plans.size(), 8U);
    for (const PlanOptions& options : plans) {
        const std::vector<double> found = rows(options);
        ASSERT_EQ(found.size(), expected.size());
        for (std::size_t i = 0; i < found.size(); ++i)
            ASSERT_NEAR(found[i], expected[i], 1e-12) << options.row_bits << " " << options.top_bits << " number " << i;
    }
}

/// A state can be copied between plans with rows of different lengths.
TEST_F(TrotterTuning, StatesAreStoredAlike) {
    TrotterConfig config = job("[state]\ninitial = product\ntheta = 0.1:0.65:0.05\nphi = 0.9\n");
    config.observables = {observable_row("sz")};  // no change of basis and its rounding
    const auto state_of = [&](Trotter& system) { return packed<double>(system.state()[0]); };
    Trotter expected(plan_of(config), host_state_maker(world()));
    expected.allocate();
    expected.initialise();
    for (const int bits : {6, 9}) {
        Trotter from(plan_of(config, {.row_bits = bits}), host_state_maker(world()));
        Trotter to(plan_of(config, {.row_bits = 15 - bits}), host_state_maker(world()));
        for (Trotter* system : {&from, &to}) system->allocate();
        from.initialise();
        EXPECT_EQ(state_of(from), state_of(expected));
        copy_state(from.state(), to.state());
        EXPECT_EQ(state_of(to), state_of(from));
    }
}

TEST_F(TrotterTuning, IsWrittenAndRead) {
    EXPECT_EQ(tuned("use").row_bits, 0);
    const PlanOptions best = tuned("refresh");
    EXPECT_GT(best.row_bits, 0);
    const std::string line = content();
    EXPECT_THAT(line, testing::StartsWith("this one, double, 12 spins, " + std::to_string(world().size()) +
                                          " ranks x 1 threads = row-bits " + std::to_string(best.row_bits)));
    const PlanOptions read = tuned("use");
    EXPECT_EQ(read.row_bits, best.row_bits);
    EXPECT_EQ(read.top_bits, best.top_bits);
    EXPECT_EQ(tuned("use", "another one").row_bits, 0);
    tuned("refresh", "another one");
    EXPECT_THAT(content(), testing::AllOf(testing::HasSubstr(line.substr(0, 40)), testing::HasSubstr("\nanother one")));
    tuned("refresh");
    const std::string text = content();
    EXPECT_EQ(std::ranges::count(text, '\n'), 2);
    EXPECT_EQ(plan_of(job(), read).tuned(), "rows of " + std::to_string(1 << read.row_bits) + " amplitudes, " +
                                                std::to_string(1 << read.top_bits) + " blocks in registers");
    EXPECT_EQ(plan_of(job()).tuned(), "");
}

/// An edited or truncated line is ignored.
TEST_F(TrotterTuning, DistrustsTheFile) {
    tuned("refresh");
    const std::string line = content(), key = line.substr(0, line.find(" = ") + 3);
    for (const char* value : {"row-bits 40, top-bits 4, tile-bits 0", "row-bits 8, top-bits 40, tile-bits 0",
                              "row-bits 8, top-bits 4, tile-bits 1", "row-bits 8", "row-bits -3, top-bits", ""}) {
        write(key + value + "\n");
        EXPECT_EQ(tuned("use").row_bits, 0) << value;
    }
    write(key + "row-bits 8, top-bits 3, tile-bits 0, 1 s\n");
    EXPECT_EQ(tuned("use").row_bits, 8);
}

TEST_F(TrotterTuning, LeavesFilesOfOthersAlone) {
    tuned("refresh");
    const std::string plans = content();
    write(plans, "alias ls=rm\n");
    for (const char* tune : {"use", "refresh"}) EXPECT_THROW(tuned(tune), Error);
    write(plans);
    EXPECT_GT(tuned("use").row_bits, 0);
}

TEST_F(TrotterTuning, SaysWhatItCannotDo) {
    if (world().is_root()) {
        std::filesystem::create_directory(folder_);
        std::ofstream(folder_ + "/below") << "no folder";
    }
    all_max(world(), 0);
    EXPECT_THAT(error_of(ExitCode::file, [&] { tuned("refresh"); }), testing::HasSubstr(folder_));
}

}  // namespace
}  // namespace strata::trotter
