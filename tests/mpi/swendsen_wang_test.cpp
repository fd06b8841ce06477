// SPDX-License-Identifier: BSD-3-Clause
// The application on ranks and threads against the reference sweep: same spins, same observations.
#include "swendsen_wang/run/swendsen_wang.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/trajectory.hpp"

namespace strata::swendsen_wang {
namespace {

std::unique_ptr<Application> make(const SwendsenWangConfig& config, int threads) {
    return std::make_unique<SwendsenWang<Cpu>>(world(),
                                               SwendsenWangPlan(config, world().size(), world().rank(), threads));
}

void compare(const SwendsenWangConfig& config, int threads) { expect_plain_trajectory(*make(config, threads), config); }

class Trajectory : public testing::TestWithParam<Merge> {};

TEST_P(Trajectory, IsThatOfThePlainSweep) {
    for (int threads : {1, 2})
        for (double beta : {0.3, 0.44068679350977147, 0.7}) {
            compare(job({40, 32}, beta, GetParam()), threads);
            compare(job({21, 45}, beta, GetParam()), threads);  // partial tiles on both axes
        }
    for (int threads : {1, 2})
        for (double beta : {0.15, 0.2216546, 0.4}) {
            compare(job({9, 10, 16}, beta, GetParam()), threads);
            compare(job({8, 4, 17}, beta, GetParam()), threads);
        }
}

TEST_P(Trajectory, OfCouplingsOfBothSignsAndBoundaries) {
    for (const SwendsenWangConfig& config : coupling_jobs(GetParam()))
        for (const int threads : {1, 2}) compare(config, threads);
}

TEST(Metropolis, IsThePlainUpdate) {
    for (const SwendsenWangConfig& config : metropolis_jobs())
        for (const int threads : {1, 2}) compare(config, threads);
}

TEST_P(Trajectory, InAFieldByTheGhostSpin) {
    for (const SwendsenWangConfig& config : ghost_jobs(GetParam())) compare(config, config.field < 0 ? 2 : 1);
}

TEST_P(Trajectory, OfPottsModels) {
    for (const SwendsenWangConfig& config : potts_jobs(GetParam())) compare(config, config.states % 2 == 0 ? 1 : 2);
}

INSTANTIATE_TEST_SUITE_P(Protocols, Trajectory, testing::Values(Merge::exchange, Merge::tree),
                         [](const auto& p) { return p.param == Merge::tree ? "tree" : "exchange"; });

TEST(StructureFactor, IsTheFourierSumOfTheSpins) {
    const SwendsenWangConfig config = job({24, 36}, 0.4, Merge::automatic);
    const std::unique_ptr<Application> made = make(config, 1);
    Application& system = *made;
    system.allocate();
    system.initialise();
    const std::vector<std::uint64_t> before = all_words(system);
    std::vector<double> row(column_count);
    system.step(0);
    row.clear();
    system.observe(row);
    if (!world().is_root()) return;
    PlainIsing plain(config.extents, config.seed);
    double re = 0, im = 0;
    for (std::uint64_t site = 0; site < plain.sites(); ++site) {
        const auto at = plain.position(site);
        const double spin = before[at.tile] >> at.bit & 1 ? 1 : -1;
        const double angle = 2 * M_PI * static_cast<double>(site / 24) / 36;  // along y, the longest axis
        re += spin * std::cos(angle);
        im += spin * std::sin(angle);
    }
    EXPECT_NEAR(row[structure_factor], (re * re + im * im) / (24 * 36), 1e-10);
}

TEST(StructureFactor, VanishesForUniformSpins) {
    SwendsenWangConfig config = job({24, 36}, 100, Merge::automatic);
    config.start = Start::cold;
    const std::unique_ptr<Application> system = make(config, 1);
    system->allocate();
    system->initialise();
    std::vector<double> row;
    system->step(0);
    system->observe(row);
    if (world().is_root()) {
        EXPECT_EQ(row[structure_factor], 0);
    }
}

/// Two clusters that contain all sites of a lattice of 2^34, whose fourth powers exceed 128 bits.
TEST(ClusterMoments, BeyondTheRangeOfIntegers) {
    const std::uint64_t extent = std::uint64_t{1} << 17, sites = extent * extent;
    SwendsenWangConfig config = job({extent, extent}, 0.4, Merge::automatic);
    const SwendsenWangPlan plan(config, 4 * world().size(), 0, 1);
    Observation observation(plan);
    if (world().is_root())
        for (std::uint64_t size : {sites / 4, sites - sites / 4})
            observation.clusters().add(size, 1, fourth_moment_shift(sites));
    std::vector<double> row(column_count);
    observation.reduce(world(), row);
    if (!world().is_root()) return;
    EXPECT_NEAR(row[cluster_2], (1 + 9) / 16.0, 1e-12);
    EXPECT_NEAR(row[cluster_4], (1 + 81) / 256.0, 1e-9);
    EXPECT_EQ(observation.sites_in_clusters(), sites);
}

}  // namespace
}  // namespace strata::swendsen_wang
