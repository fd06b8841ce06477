// SPDX-License-Identifier: BSD-3-Clause
// The application on ranks and threads against the reference sweep: same spins, same observations.
#include "swendsen_wang/run/swendsen_wang.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>

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

/// Sums over planes of spins, by all pairs of sites at the distance and by Fourier sums, along periodic axes.
TEST(Correlations, AreThoseOfTheSpins) {
    SwendsenWangConfig flat = job({24, 36}, 0.4, Merge::automatic), cubic = job({5, 6, 17}, 0.2, Merge::automatic),
                       field = flat;
    flat.correlations = 40;
    cubic.correlations = 2;
    cubic.boundaries = {Boundary::periodic, Boundary::open, Boundary::periodic};
    field.correlations = 1;
    field.field = 0.1;
    for (const SwendsenWangConfig& config : {flat, cubic, field}) {
        const std::unique_ptr<Application> system = make(config, 1);
        system->allocate();
        system->initialise();
        const std::vector<std::uint64_t> before = all_words(*system);
        std::vector<double> row;
        system->step(0);
        system->observe(row);
        if (!world().is_root()) continue;
        const PlainIsing plain(config.extents, config.seed);
        const auto coordinate = [&](std::uint64_t site, std::size_t axis) {
            for (std::size_t a = 0; a < axis; ++a) site /= config.extents[a];
            return site % config.extents[axis];
        };
        std::size_t measured = 0;
        for (std::size_t axis = 0; axis < config.extents.size(); ++axis) {
            const std::uint64_t extent = config.extents[axis];
            for (std::uint64_t n = 0; n <= std::min(config.correlations, extent / 2); ++n) {
                std::complex<double> wave = 0;
                std::vector<double> planes(extent);
                for (std::uint64_t site = 0; site < plain.sites(); ++site) {
                    const auto at = plain.position(site);
                    const double spin = before[at.tile] >> at.bit & 1 ? 1 : -1;
                    const std::uint64_t x = coordinate(site, axis);
                    wave += spin * std::polar(1.0, 2 * M_PI * static_cast<double>(n * x) / static_cast<double>(extent));
                    planes[x] += spin;
                }
                double correlation = 0;
                for (std::uint64_t x = 0; x < extent; ++x) correlation += planes[x] * planes[(x + n) % extent];
                const std::string end = std::string("-") + "xyz"[axis] + "-" + std::to_string(n);
                for (std::size_t column = 0; column < row.size(); ++column) {
                    const std::string& name = system->columns()[column].name;
                    if (name != "structure-factor" + end && name != "plane-correlation" + end) continue;
                    const double exact = name.starts_with("s") ? std::norm(wave) : correlation;
                    EXPECT_NEAR(row[column], exact / static_cast<double>(plain.sites()), 1e-10) << name;
                    ++measured;
                }
            }
        }
        EXPECT_EQ(measured, config.extents.size() == 3 ? 12U : config.field == 0 ? 2 * (13U + 19) : 8U);
        EXPECT_EQ(row.size(), system->columns().size());
    }
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

/// Rows and spins are those of one rank, on any groups, and also after a restart in the middle.
TEST_P(Trajectory, OfReplicasOverGroupsOfRanks) {
    const Communicator self = Communicator::alone();
    for (const std::size_t temperatures : {2U, 4U, 5U}) {
        const SwendsenWangConfig config = tempering_job(temperatures, {24, 34}, GetParam());
        TemperingRun<Cpu> all(world(), config), rest(world(), config), alone(self, config);
        all.steps(0, 11);
        copy_state(all.system.state(), rest.system.state());
        rest.system.restored(11);
        rest.rows = all.rows;
        all.steps(11, 24);
        rest.steps(11, 24);
        alone.steps(0, 24);
        if (world().is_root()) {
            EXPECT_EQ(all.rows, alone.rows);
            EXPECT_EQ(rest.rows, alone.rows);
        }
        for (std::size_t array = 0; array < config.replicas(); ++array) {  // those before the ladders
            const auto words = [&](TemperingRun<Cpu>& run) {
                const std::vector<std::uint64_t> own = packed<std::uint64_t>(run.system.state()[array]);
                return gather(world(), std::span<const std::uint64_t>(own));
            };
            const std::vector<std::uint64_t> together = words(all), again = words(rest);
            EXPECT_EQ(together, again);
            if (world().is_root()) {
                EXPECT_EQ(together, packed<std::uint64_t>(alone.system.state()[array]));
            }
        }
    }
}

/// Without exchanges every replica makes the sweeps that it makes alone, with random numbers of its own.
TEST(ParallelTempering, ReplicasAreRunsOfTheirOwn) {
    SwendsenWangConfig config = tempering_job(3, {24, 34}, Merge::automatic);
    config.exchange_every = 1000;
    TemperingRun<Cpu> run(world(), config);
    run.steps(0, config.sweeps);
    const std::size_t width = run.system.columns().size();
    SwendsenWangConfig single = config;
    single.betas.clear();
    for (std::size_t t = 0; t < 3; ++t) {
        single.beta = config.betas[t];
        const std::unique_ptr<Application> one = make(single, 1);
        dynamic_cast<Chained&>(*one).follow(t);
        one->allocate();
        one->initialise();
        std::size_t observation = 0;
        for (std::uint64_t step = 0; step < config.sweeps; ++step) {
            one->step(step);
            if (!one->observes(step)) continue;
            std::vector<double> row;
            one->observe(row);
            row.push_back(1 / single.beta);
            const std::size_t at = (observation++ * 3 + t) * width;
            if (world().is_root()) {
                EXPECT_EQ(std::vector(run.rows.begin() + static_cast<std::ptrdiff_t>(at),
                                      run.rows.begin() + static_cast<std::ptrdiff_t>(at + width)),
                          row);
            }
        }
    }
}

}  // namespace
}  // namespace strata::swendsen_wang
