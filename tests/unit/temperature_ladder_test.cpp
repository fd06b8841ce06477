// SPDX-License-Identifier: BSD-3-Clause
// Exchanges of temperatures of parallel tempering: which pairs, how often, and the groups of ranks of the replicas.
#include "swendsen_wang/physics/temperature_ladder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "swendsen_wang/state/plan.hpp"

namespace strata::swendsen_wang {
namespace {

using testing::ElementsAre;

/// Even rounds exchange 0 - 1 and 2 - 3, odd ones 1 - 2: with equal energies every exchange is accepted, and replicas
/// walk through all temperatures.
TEST(TemperatureLadder, PairsAlternate) {
    TemperatureLadder ladder({4, 3, 2, 1}, 7);
    const std::vector<double> energies(4, -1.0);
    ladder.exchange(0, 10, energies);
    EXPECT_THAT(ladder.temperatures(), ElementsAre(1, 0, 3, 2));
    ladder.exchange(1, 20, energies);
    EXPECT_THAT(ladder.temperatures(), ElementsAre(2, 0, 3, 1));
    EXPECT_EQ(ladder.replica_at(0), 1U);
    EXPECT_EQ(ladder.beta_of_replica(0), 2);
    EXPECT_EQ(ladder.arrivals(), 0U);
    ladder.exchange(2, 30, energies);
    ladder.exchange(3, 40, energies);
    EXPECT_THAT(ladder.temperatures(), ElementsAre(3, 2, 1, 0));
    EXPECT_EQ(ladder.arrivals(), 0U);  // replica 3 began at the hottest temperature, before any sweep
    ladder.exchange(4, 50, energies);
    EXPECT_THAT(ladder.temperatures(), ElementsAre(2, 3, 0, 1));
    EXPECT_EQ(ladder.arrivals(), 1U);  // replica 2 was there after round 0
    EXPECT_THAT(ladder.acceptance(), ElementsAre(1, 1, 1, testing::NanSensitiveDoubleEq(NAN)));
}

/// A replica of lower energy at the higher temperature is always exchanged; the other way with the probability
/// exp((beta_a - beta_b) (E_a - E_b)), within 5 sigma of 20000 trials.
TEST(TemperatureLadder, AcceptsWithTheWeightOfTheExchange) {
    constexpr int trials = 20000;
    int accepted = 0;
    for (int trial = 0; trial < trials; ++trial) {
        TemperatureLadder ladder({1.5, 1.0}, 3);
        ladder.exchange(0, static_cast<std::uint64_t>(trial), std::vector<double>{-6.0, -4.0});
        accepted += ladder.temperatures()[0] == 1 ? 1 : 0;
        TemperatureLadder sure({1.5, 1.0}, 3);
        sure.exchange(0, static_cast<std::uint64_t>(trial), std::vector<double>{-4.0, -6.0});
        EXPECT_EQ(sure.temperatures()[0], 1U);
    }
    const double probability = std::exp(-1.0);
    EXPECT_NEAR(accepted, trials * probability, 5 * std::sqrt(trials * probability * (1 - probability)));
}

/// Two levels at three temperatures, drawn afresh at each temperature: the mean occupation of the upper level after an
/// exchange is still that of the temperature.
TEST(TemperatureLadder, LeavesEquilibriumAsItIs) {
    constexpr std::uint64_t rounds = 60000;
    const std::vector<double> betas = {2, 1, 0.4};
    TemperatureLadder ladder(betas, 5);
    std::vector<double> upper(3);
    std::uint64_t state = 1;
    const auto uniform = [&state] {  // an independent generator
        state = state * 6364136223846793005U + 1442695040888963407U;
        return static_cast<double>(state >> 11) * 0x1p-53;
    };
    for (std::uint64_t round = 0; round < rounds; ++round) {
        std::vector<double> energies(3);
        for (std::size_t replica = 0; replica < 3; ++replica) {
            const double beta = ladder.beta_of_replica(replica);
            energies[replica] = uniform() < 1 / (1 + std::exp(beta)) ? 1 : 0;
        }
        ladder.exchange(round, round, energies);
        for (std::size_t t = 0; t < 3; ++t) upper[t] += energies[ladder.replica_at(t)];
    }
    for (std::size_t t = 0; t < 3; ++t) {
        const double p = 1 / (1 + std::exp(betas[t]));
        EXPECT_NEAR(upper[t] / rounds, p, 5 * std::sqrt(p * (1 - p) / rounds)) << betas[t];
    }
}

/// Groups are no more than the replicas, have no more ranks than tile layers, and make a sweep of all replicas short.
TEST(ReplicaGroups, AreThoseOfTheLeastTime) {
    const auto groups = [](std::uint64_t replicas, int ranks, std::uint64_t layers = 100) {
        return ReplicaGroups(replicas, ranks, layers).groups;
    };
    EXPECT_EQ(groups(1, 12), 1);
    EXPECT_EQ(groups(4, 4), 4);
    EXPECT_EQ(groups(16, 4), 4);
    EXPECT_EQ(groups(4, 12), 4);
    EXPECT_EQ(groups(6, 4), 2);  // 3 replicas on 2 ranks each, not 2 on one
    EXPECT_EQ(groups(5, 3), 1);
    EXPECT_EQ(groups(5, 3, 2), 3);  // the lattice has two layers
    EXPECT_EQ(groups(7, 7), 7);
    EXPECT_EQ(groups(4, 9, 2), 0);
    const ReplicaGroups six(6, 4, 100);
    EXPECT_EQ(six.ranks_of(1), (Range{2, 4}));
    EXPECT_EQ(six.of(3), 1);
    EXPECT_EQ(six.replicas_of(1), (Range{3, 6}));
    EXPECT_EQ(six.most_replicas(), 3U);
}

/// Every number of ranks up to replicas x layers has groups, of equal sizes where that is asked for and possible.
TEST(ReplicaGroups, ExistForAllRanks) {
    for (std::uint64_t replicas = 1; replicas <= 12; ++replicas)
        for (std::uint64_t layers = 1; layers <= 4; ++layers)
            for (int ranks = 1; ranks <= static_cast<int>(replicas * layers); ++ranks) {
                const ReplicaGroups any(replicas, ranks, layers);
                const ReplicaGroups equal(replicas, ranks, layers, ReplicaGroups::Sizes::equal);
                ASSERT_GT(any.groups, 0) << replicas << " " << layers << " " << ranks;
                for (int rank = 0; rank < ranks; ++rank) {
                    const Range own = any.ranks_of(any.of(rank));
                    EXPECT_TRUE(own.first <= static_cast<std::uint64_t>(rank) &&
                                static_cast<std::uint64_t>(rank) < own.last && own.size() <= layers);
                }
                EXPECT_TRUE(equal.groups == 0 || ranks % equal.groups == 0);
            }
}

}  // namespace
}  // namespace strata::swendsen_wang
