// SPDX-License-Identifier: BSD-3-Clause
// The time formula against cases computed by hand, machine files, and counts of work against formulas.
#include "prediction/prediction.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strata/error.hpp"
#include "support/error_of.hpp"
#include "swendsen_wang/state/work.hpp"

namespace strata::prediction {
namespace {

using testing::HasSubstr;

/// Four cores a node with 10 GB/s each and 20 together, 1 us between and 0.5 us within nodes, 1 GB/s everywhere.
Machine small_machine() {
    Machine m;
    m.cores = 4;
    m.core_speed = 2;
    m.core_bandwidth = 10e9;
    m.node_bandwidth = 20e9;
    m.latency = 1e-6;
    m.inner_latency = 0.5e-6;
    m.injection = m.inner_bandwidth = 1e9;
    return m;
}

TEST(Prediction, OneRankComputesAndReads) {
    const Prediction p = predict(small_machine(), {.core_seconds = 6, .memory_bytes = 40e9, .messages = 9}, 1, 1);
    EXPECT_DOUBLE_EQ(p.seconds(), 5);  // 6 / 2 = 3 and 40 / 10 = 4
    EXPECT_EQ(p.limit(), "memory bandwidth");
}

TEST(Prediction, ThreadsShareComputationButNotSerialWork) {
    const Prediction p = predict(small_machine(), {.core_seconds = 8, .serial_seconds = 6}, 1, 4);
    EXPECT_DOUBLE_EQ(p.computation, 1);
    EXPECT_DOUBLE_EQ(p.seconds(), 1 + 3);
    EXPECT_EQ(p.limit(), "serial part");
}

TEST(Prediction, RanksOfANodeShareItsBandwidth) {
    const Prediction p = predict(small_machine(), {.memory_bytes = 10e9}, 4, 1);
    EXPECT_DOUBLE_EQ(p.memory, 2);  // 5 GB/s each
    EXPECT_EQ(p.nodes, 1);
}

TEST(Prediction, LatenciesFollowOneAnother) {
    const Work work = {.messages = 10, .collectives = 2};
    EXPECT_DOUBLE_EQ(predict(small_machine(), work, 4, 1).latency, 0.5e-6 * (10 + 2 * 2));
    const Prediction p = predict(small_machine(), work, 9, 1);
    EXPECT_DOUBLE_EQ(p.latency, 1e-6 * (10 + 2 * 4));
    EXPECT_EQ(p.nodes, 3);
    EXPECT_EQ(p.limit(), "network latency");
}

TEST(Prediction, BytesLeaveTheNodeByTheirPattern) {
    Work work = {.sent_bytes = 8e9, .pattern = Pattern::neighbours};
    // a quarter of the bytes of the four ranks leaves: 8 GB; each rank sends 6 GB within the node
    EXPECT_DOUBLE_EQ(predict(small_machine(), work, 16, 1).network, 8 + 6);
    work.shares_memory = true;
    EXPECT_DOUBLE_EQ(predict(small_machine(), work, 16, 1).network, 8);
    work.pattern = Pattern::all;  // 12 of 15 others are on other nodes
    EXPECT_DOUBLE_EQ(predict(small_machine(), work, 16, 1).network, 4 * 8 * 12.0 / 15);
    EXPECT_DOUBLE_EQ(predict(small_machine(), work, 4, 1).network, 0);
}

TEST(Prediction, ImbalanceIsAPartOfTheBase) {
    const Prediction p = predict(small_machine(), {.core_seconds = 8, .imbalance = 4}, 2, 1);
    EXPECT_DOUBLE_EQ(p.seconds(), 4);
    EXPECT_DOUBLE_EQ(p.imbalance, 3);
    EXPECT_EQ(p.limit(), "imbalance");
}

/// Milliseconds of a sweep that an H100 was measured to take (perf/results/gpu-h100.md).
TEST(DeviceUpdate, IsNearTheMeasuredTimes) {
    const struct {
        std::vector<std::uint64_t> extents;
        double measured;
    } sizes[] = {{{1024, 1024}, 0.145},    {{8192, 8192}, 0.946},   {{32768, 32768}, 15.5},
                 {{128, 128, 128}, 0.200}, {{512, 512, 512}, 3.92}, {{1024, 1024, 1024}, 35.8}};
    swendsen_wang::SwendsenWangConfig config;
    config.beta = 0.4;
    config.simd = "auto";
    for (const auto& [extents, measured] : sizes) {
        config.extents = extents;
        const swendsen_wang::SwendsenWangPlan plan(config, 1, 0, 1, BackendKind::cuda);
        EXPECT_NEAR(1e3 * device_update_seconds(plan) / measured, 1, 0.2) << extents[0];
    }
    config.update = swendsen_wang::Update::metropolis;
    EXPECT_EQ(device_update_seconds(swendsen_wang::SwendsenWangPlan(config, 1, 0, 1, BackendKind::cuda)), 0);
}

/// 48 sites along x are six tiles of eight lanes; bonds of both signs take a Metropolis sweep longer.
TEST(CountedWork, CountsEmptyLanesAndRandomSigns) {
    swendsen_wang::SwendsenWangConfig config;
    config.beta = 0.4;
    config.sweeps = 10;
    config.simd = "auto";
    config.update = swendsen_wang::Update::mixed;
    const auto seconds = [&](std::uint64_t width) {
        config.extents = {width, 24};
        return count_work(swendsen_wang::SwendsenWangPlan(config, 1, 0, 1)).core_seconds;
    };
    const double full = seconds(64);
    EXPECT_DOUBLE_EQ(seconds(48), full);
    EXPECT_DOUBLE_EQ(seconds(32), full);
    EXPECT_DOUBLE_EQ(seconds(128), 2 * full);
    config.opposite = 1;
    EXPECT_DOUBLE_EQ(seconds(64), full);
    config.opposite = 0.5;
    EXPECT_NEAR(seconds(64) - full, 64 * 24 * 0.5 * 1.3e-9, 1e-12);
}

/// 64 x 24 sites are three layers of tiles: the first of two ranks has two.
TEST(CountedWork, SlabsHaveTheirLayersAndBorders) {
    swendsen_wang::SwendsenWangConfig config;
    config.extents = {64, 24};
    config.beta = 0.4;
    config.sweeps = 10;
    config.measure_every = 2;
    config.simd = "auto";
    const auto work = [&](int ranks) { return count_work(swendsen_wang::SwendsenWangPlan(config, ranks, 0, 1)); };
    EXPECT_DOUBLE_EQ(work(1).core_seconds, 64 * 24 * (1.07 + 0.55 / 2) * 1e-9);
    EXPECT_EQ(work(1).sent_bytes + work(1).serial_seconds + work(1).messages, 0);
    EXPECT_DOUBLE_EQ(work(2).core_seconds, work(1).core_seconds * 2 / 3);
    EXPECT_DOUBLE_EQ(work(2).imbalance, 4.0 / 3);
    config.merge = swendsen_wang::Merge::exchange;
    EXPECT_DOUBLE_EQ(work(2).sent_bytes, 2 * 64 / 8 + 2 * 64 * 4);  // a bit and a label for each site of two borders
    config.merge = swendsen_wang::Merge::automatic;
    config.extents = {64, 128};
    EXPECT_EQ(work(16).serial_seconds, work(2).serial_seconds);                            // every border on its own
    EXPECT_EQ(work(16).messages - work(8).messages, work(8).messages - work(4).messages);  // a level for every doubling
    EXPECT_GT(work(16).messages, work(8).messages);
    config.update = swendsen_wang::Update::metropolis;
    EXPECT_EQ(work(16).serial_seconds, 0);
    const double alone = work(2).core_seconds;
    config.betas = {0.5, 0.4, 0.3};
    EXPECT_DOUBLE_EQ(work(6).core_seconds,
                     alone + 64 * 64 * 0.2e-9);  // three groups of two ranks; counts before every sweep
    EXPECT_DOUBLE_EQ(work(3).imbalance, 1);
}

const std::string sound =
    "[machine]\nname = a\nnodes = 2\ncores = 4\ncore-speed = 1\ncore-bandwidth = 10\nnode-bandwidth = 40\n"
    "memory = 64\nlatency = 1.5\ninjection = 25\ninner-latency = 0.5\ninner-bandwidth = 8\n";

std::string refusal(const std::string& text) {
    return error_of(ExitCode::bad_input, [&] { parse_machine("m.ini", text); });
}

TEST(Machine, ValuesHaveTheUnitsOfTheFile) {
    const Machine m = parse_machine("m.ini", sound);
    EXPECT_EQ(m.cores, 4);
    EXPECT_DOUBLE_EQ(m.latency, 1.5e-6);
    EXPECT_DOUBLE_EQ(m.injection, 25e9);
    EXPECT_DOUBLE_EQ(m.memory, 64e9);
}

TEST(Machine, FaultsAreSentences) {
    const auto with = [](const std::string& from, const std::string& to) {
        std::string text = sound;
        return text.replace(text.find(from), from.size(), to);
    };
    EXPECT_THAT(refusal(with("cores = 4\n", "")), HasSubstr("m.ini lacks machine.cores."));
    EXPECT_THAT(refusal(with("cores = 4", "cores = 0.5")),
                HasSubstr("m.ini:4: machine.cores = 0.5 must be an integer"));
    for (const char* wrong : {"fast", "-1", "0", "nan", "inf", "3 us"})
        EXPECT_THAT(refusal(with("= 1.5", std::string("= ") + wrong)), HasSubstr("machine.latency = ")) << wrong;
    EXPECT_THAT(refusal(with("memory = 64", "memry = 64")), HasSubstr("Did you mean machine.memory?"));
    EXPECT_THAT(refusal(sound + "cores = 5\n"), HasSubstr("given twice"));
}

}  // namespace
}  // namespace strata::prediction
