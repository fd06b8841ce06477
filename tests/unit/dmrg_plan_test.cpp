// SPDX-License-Identifier: BSD-3-Clause
// Predictions for a renormalization before it runs: bonds and their energies, symmetries of sites, memory and work.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "dmrg/physics/entanglement.hpp"
#include "dmrg/physics/symmetries.hpp"
#include "dmrg/run/plan.hpp"
#include "support/dmrg_jobs.hpp"
#include "support/large_cases.hpp"

namespace strata::dmrg {
namespace {

DmrgPlan plan_of(const std::string& job) { return {dmrg_job(job), 1, 1}; }

std::string spins(int sites, int states) {
    const std::string m = std::to_string(states);
    return "[lattice]\nextents = " + std::to_string(sites) +
           "\n[model]\ntype = heisenberg\n[run]\nstart-states = " + m + "\nschedule = " + m + "\n";
}

/// Measured: chains of 500 and 1000 spins took 38 and 76 MB (M = 20), and 62 MB (M = 80). Starts have 64 states or
/// more.
TEST(DmrgPlan, MemoryOfLongChains) {
    const double mb = 1e6;
    for (const auto& [sites, states, taken] :
         {std::tuple(500, 2, 37.1), {500, 20, 37.6}, {1000, 20, 75.5}, {500, 80, 62.4}}) {
        const auto predicted = static_cast<double>(plan_of(spins(sites, states)).memory().host_bytes());
        EXPECT_GT(predicted, 0.95 * taken * mb) << sites << " " << states;
        EXPECT_LT(predicted, 1.6 * taken * mb) << sites << " " << states;
    }
}

/// Ranks distribute the operators and vectors of a large superblock; those of a small one are on every rank.
TEST(DmrgPlan, MemoryOfSuperblocksIsDistributed) {
    const auto bytes = [](const std::string& job, int ranks, const std::string& item) {
        const MemoryPrediction m = DmrgPlan(dmrg_job(job), ranks, 1, BackendKind::cpu, ranks).memory();
        return static_cast<double>(std::ranges::find(m.host, item, &MemoryPrediction::Item::name)->bytes);
    };
    const std::string cylinder = "[lattice]\ntype = cylinder\nextents = 6,4\n[run]\nschedule = ";
    for (const char* item : {"operators", "working pair", "other vectors"}) {
        for (const int ranks : {2, 4}) {
            const double part = bytes(cylinder + "600\n", ranks, item) / bytes(cylinder + "600\n", 1, item);
            EXPECT_LT(part, 1.8 / ranks) << item;
            EXPECT_GT(part, 0.9 / ranks) << item;
        }
        EXPECT_EQ(bytes(cylinder + "64\n", 2, item), bytes(cylinder + "64\n", 1, item)) << item;
    }
}

/// The plan enumerates the charges of one bond at a time, so that the largest lattice takes a second.
TEST(DmrgPlan, OfTheLargestLattices) {
    for (const char* job :
         {"[lattice]\nextents = 10000\n", "[lattice]\ntype = cylinder\nextents = 1000,10\n",
          "[lattice]\nextents = 10000\n[model]\ntype = heisenberg\nspin = 2\n[sector]\nsz = -19997\n"}) {
        const DmrgPlan plan = plan_of(job);
        EXPECT_GT(plan.memory().host_bytes(), 1'000'000U);
        EXPECT_EQ(plan.steps() % (2 * 9999), 0U);
        EXPECT_GT(plan.seconds_per_step(), 0);
        if (!large_cases) break;
    }
}

/// Measured M at the end of runs with run.tolerance.
TEST(DmrgPlan, TheMThatAToleranceTakes) {
    for (const auto& [job, states] :
         {std::pair("[lattice]\nextents = 16\n", 225.),
          {"[lattice]\nextents = 32\n", 377.},
          {"[lattice]\nextents = 64\n[run]\ntolerance = 1e-6\n", 322.},
          {"[lattice]\nextents = 64\n[model]\ntype = heisenberg\n", 160.},
          {"[lattice]\nextents = 24\n[sector]\nup = 8\ndown = 8\n[run]\ntolerance = 1e-6\n", 256.},
          {"[lattice]\ntype = ladder\nextents = 8,2\n[model]\nu = 8\n[run]\ntolerance = 1e-6\n", 455.},
          {"[lattice]\ntype = cylinder\nextents = 6,4\n[model]\ntype = heisenberg\n[run]\ntolerance = 1e-5\n", 208.}}) {
        const auto needed = static_cast<double>(plan_of(job).needed_states());
        EXPECT_LT(std::max(needed / states, states / needed), 2.5) << job;
    }
    const DmrgPlan chain = plan_of("[lattice]\nextents = 32\n");
    EXPECT_LT(chain.steps(), 600U);  // measured: 310
    EXPECT_GT(chain.steps(), 200U);
}

/// The discarded weight of the distribution I_0(2 sqrt(b u)), by quadrature.
TEST(DmrgPlan, StatesThatLeaveAWeightOut) {
    for (const double entropy : {0.1, 0.7, 2., 6.}) {
        const double b = entropy / 2;
        const auto number = [&](double u) { return std::cyl_bessel_i(0, 2 * std::sqrt(b * u)); };
        for (const double discarded : {1e-2, 1e-6, 1e-10}) {
            const double states = states_of_weight(entropy, discarded);
            constexpr double step = 4e-3;
            double left_out = 0;
            for (double u = 0; u < 120; u += step)
                if (number(u) >= states) left_out += std::exp(-b - u - step / 2) * (number(u + step) - number(u));
            EXPECT_NEAR(left_out, discarded, 1e-2 * discarded) << entropy;
        }
    }
}

std::vector<double> amplitudes(const std::string& job) {
    std::vector<double> all;
    for (const Coupling& c : dmrg_job(job).model.couplings) all.push_back(c.amplitude);
    std::ranges::sort(all);
    return all;
}

TEST(DmrgBonds, HoldEnergies) {
    const std::string four = "[lattice]\nextents = 4\n[model]\n";
    EXPECT_EQ(amplitudes(four + "t = 2\nt2 = 0.5\nv = 3\n"),
              (std::vector<double>{-2, -2, -2, -2, -2, -2, -0.5, -0.5, -0.5, -0.5, 3, 3, 3}));
    const std::string full = "t = 0\nt2 = -1\n[sector]\nup = 4\ndown = 0\n";  // no hopping between the sublattices
    EXPECT_EQ(amplitudes(four + full), (std::vector<double>{1, 1, 1, 1}));
    EXPECT_EQ(amplitudes(four + "t = 1e-310\nt2 = 1\n").front(), -1);
    const std::string spins = four + "type = heisenberg\n";
    EXPECT_EQ(amplitudes(spins + "j = 0\nj2 = 3\n[sector]\nsz = -2\n"), (std::vector<double>{1.5, 1.5, 3, 3}));
    EXPECT_EQ(amplitudes(spins + "j = 2\njz = 1\nj2 = 4\n"), (std::vector<double>{1, 1, 1, 1, 1, 1, 2, 2, 2, 2}));
    EXPECT_THROW(dmrg_job(spins + "j = 0\njz = 1\nj2 = 1\n"), std::exception);
    EXPECT_THROW(dmrg_job(spins + "j = 1e-310\njz = 1\nj2 = 1\n"), std::exception);
}

std::size_t count_of_symmetries(const std::string& job) {
    const DmrgConfig config = dmrg_job(job);
    return site_symmetries(config.model, config.width).size();
}

TEST(DmrgSymmetries, OfLatticesAndPotentials) {
    const std::string chain = "[lattice]\nextents = 4\n", ladder = "[lattice]\ntype = ladder\nextents = 3,2\n",
                      cylinder = "[lattice]\ntype = cylinder\nextents = 2,4\n[model]\ntype = heisenberg\nj2 = 0.3\n";
    EXPECT_EQ(count_of_symmetries(chain), 3U);  // two of the three leave every site fixed
    EXPECT_EQ(count_of_symmetries(chain + "[model]\npotential = 1,2,2,1\n"), 3U);
    EXPECT_EQ(count_of_symmetries(chain + "[model]\npotential = 1,2,2,2\n"), 2U);
    EXPECT_EQ(count_of_symmetries(ladder + "[model]\npotential = 1,2,1,2,1,2\n"), 1U);
    EXPECT_EQ(count_of_symmetries(cylinder), 3U);
    EXPECT_EQ(count_of_symmetries(cylinder + "field = 1,2,1,2,1,2,1,2\n"), 1U);
}

TEST(DmrgSymmetries, AreBrokenByLocalValues) {
    const Model model = dmrg_job("[lattice]\ntype = cylinder\nextents = 1,3\n[model]\ntype = heisenberg\n").model;
    EXPECT_NEAR(broken_symmetry(model, 3, std::vector<double>{0.1, 0.3, 0.1}), 0.2, 1e-15);
    EXPECT_EQ(broken_symmetry(model, 3, std::vector<double>{0.2, 0.2, 0.2}), 0);
    const Model even = dmrg_job("[lattice]\nextents = 2\n[model]\ntype = heisenberg\n").model;
    EXPECT_EQ(broken_symmetry(even, 1, std::vector<double>{0.1, 0.1}), 0.1);  // S^z is odd
}

}  // namespace
}  // namespace strata::dmrg
