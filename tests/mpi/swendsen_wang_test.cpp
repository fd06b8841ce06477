// SPDX-License-Identifier: BSD-3-Clause
// The application over ranks and threads against the plain sweep: same spins, same observations.
#include "swendsen_wang/swendsen_wang.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "comm/collectives.hpp"
#include "support/plain_ising.hpp"
#include "support/world.hpp"

namespace strata::swendsen_wang {
namespace {

SwendsenWangConfig job(std::vector<std::uint64_t> extents, double beta, Merge merge) {
    SwendsenWangConfig c;
    c.extents = std::move(extents);
    c.betas = {beta};
    c.sweeps = 5;
    c.seed = 77;
    c.start = Start::hot;
    c.merge = merge;
    c.simd = "auto";
    return c;
}

std::vector<std::uint64_t> all_words(SwendsenWang& system) {
    const DistributedArray a = system.state().at(0);
    std::vector<std::uint64_t> mine;
    for (std::uint64_t r = 0; r < a.rows.size(); ++r) {
        const auto* row = static_cast<const std::uint64_t*>(a.data) + r * a.row_stride;
        mine.insert(mine.end(), row, row + a.row_elements);
    }
    return gather(world(), std::span<const std::uint64_t>(mine));
}

void compare(const SwendsenWangConfig& config, int threads) {
    SwendsenWang system(world(), SwendsenWangPlan(config, world().size(), world().rank(), threads));
    system.allocate();
    system.initialise();
    PlainIsing plain(config.extents, config.seed);
    for (std::uint64_t site = 0; site < plain.sites(); ++site) {
        const auto place = plain.place(site);
        plain.up()[site] = start_word(config.seed, place.tile) >> place.bit & 1;
    }
    const auto n = static_cast<double>(plain.sites());
    for (std::uint64_t sweep = 0; sweep < config.sweeps; ++sweep) {
        std::vector<double> row(column_count);
        system.step(sweep);
        system.observe(row);
        const PlainIsing::Seen seen = plain.sweep(sweep, bond_probability(config.betas[0]).threshold);
        const std::vector<std::uint64_t> words = all_words(system);
        if (!world().is_root()) continue;
        ASSERT_EQ(words, plain.words()) << "sweep " << sweep;
        double squares = 0, largest = 0;
        for (std::uint64_t size : seen.cluster_sizes) {
            squares += static_cast<double>(size * size);
            largest = std::max(largest, static_cast<double>(size));
        }
        EXPECT_NEAR(row[energy_column], seen.energy / n, 1e-14);
        EXPECT_NEAR(row[absolute_magnetisation], std::abs(seen.magnetisation) / n, 1e-14);
        EXPECT_NEAR(row[cluster_2], squares / n / n, 1e-15);
        EXPECT_NEAR(row[largest_cluster], largest / n, 1e-15);
        EXPECT_NEAR(row[cluster_count], static_cast<double>(seen.cluster_sizes.size()) / n, 1e-15);
    }
}

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

INSTANTIATE_TEST_SUITE_P(Protocols, Trajectory, testing::Values(Merge::exchange, Merge::tree),
                         [](const auto& p) { return p.param == Merge::tree ? "tree" : "exchange"; });

TEST(StructureFactor, IsTheFourierSumOfTheSpins) {
    const SwendsenWangConfig config = job({24, 36}, 0.4, Merge::automatic);
    SwendsenWang system(world(), SwendsenWangPlan(config, world().size(), world().rank(), 1));
    system.allocate();
    system.initialise();
    const std::vector<std::uint64_t> before = all_words(system);
    std::vector<double> row(column_count);
    system.step(0);
    system.observe(row);
    if (!world().is_root()) return;
    PlainIsing plain(config.extents, config.seed);
    double re = 0, im = 0;
    for (std::uint64_t site = 0; site < plain.sites(); ++site) {
        const auto place = plain.place(site);
        const double spin = before[place.tile] >> place.bit & 1 ? 1 : -1;
        const double angle = 2 * M_PI * static_cast<double>(site / 24) / 36;  // along y, the longest axis
        re += spin * std::cos(angle);
        im += spin * std::sin(angle);
    }
    EXPECT_NEAR(row[structure_factor], (re * re + im * im) / (24 * 36), 1e-10);
}

}  // namespace
}  // namespace strata::swendsen_wang
