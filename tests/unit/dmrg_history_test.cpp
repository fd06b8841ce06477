// SPDX-License-Identifier: BSD-3-Clause
// Error estimates from the energies of sweeps, against series with a known limit; quantities that a Hamiltonian
// conserves besides its charges.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "dmrg/job/conserved.hpp"
#include "dmrg/run/sweep_history.hpp"
#include "support/dmrg_jobs.hpp"

namespace strata::dmrg {
namespace {

/// A history of an even number of half sweeps after `start`, without truncation.
SweepHistory history_of(double start, const std::vector<double>& half_sweeps) {
    SweepHistory h;
    h.start_energy = start;
    for (std::size_t i = 0; i < half_sweeps.size(); ++i)
        (i % 2 == 0 ? h.energies_to_right : h.energies)[i / 2] = half_sweeps[i];
    h.sweeps = half_sweeps.size() / 2;
    return h;
}

/// Energies of half sweeps are -1 + r^n: the remaining gain is known.
TEST(DmrgHistory, AGeometricDescentGoesOnAsItDid) {
    for (const double r : {0.01, 0.3, 0.7, 0.9, 0.97, 0.995}) {
        std::vector<double> energies;
        for (int n = 1; n <= 10; ++n) energies.push_back(-1 + std::pow(r, n));
        const double left = std::pow(r, 10), gained = std::pow(r, 9) - left;
        const double found = remaining_gain(history_of(0, energies), 0);
        EXPECT_GE(found, left) << r;
        EXPECT_LE(found, (1 + 1e-9) * std::max(4 * left, gained)) << r;
    }
}

/// Only every second or every fourth half sweep lowers the energy: the last one alone would suggest convergence.
TEST(DmrgHistory, HalfSweepsThatGainNothingDoNotEndADescent) {
    for (const int period : {2, 4}) {
        std::vector<double> energies;
        for (int n = 0; n < 12; ++n) energies.push_back(-1 + std::pow(0.8, n / period));
        const SweepHistory h = history_of(0, energies);
        EXPECT_EQ(h.gained_in_half_sweep(), 0);
        EXPECT_GE(remaining_gain(h, 0), std::pow(0.8, 11 / period)) << period;
    }
}

/// A truncation raises the energy and the next half sweep lowers it again: this is no descent.
TEST(DmrgHistory, TruncationsThatAreUndoneAreNoGain) {
    SweepHistory h = history_of(-0.9, {-1, -1.001, -1, -1.001, -1, -1.001});
    for (std::size_t s = 0; s < 3; ++s) h.truncation_costs[s] = h.costs_to_right[s] = 6e-4;
    EXPECT_NEAR(remaining_gain(h, 0), 1e-3, 1e-12);  // the gain of the last half sweep
    EXPECT_NEAR(truncation_estimate(h, 0), 1.2e-3, 1e-12);
    SweepHistory falling = history_of(-0.9, {-1, -1.001, -1.002, -1.003, -1.004, -1.005});  // M grows
    for (std::size_t s = 0; s < 3; ++s) falling.truncation_costs[s] = falling.costs_to_right[s] = 6e-4;
    EXPECT_NEAR(remaining_gain(falling, 0), 1e-3, 1e-12);
    for (std::size_t s = 0; s < 3; ++s) falling.truncation_costs[s] = falling.costs_to_right[s] = 0;
    EXPECT_GT(remaining_gain(falling, 0), 0.1);
}

/// M grows in the last sweep, which gains 1e-5 more than truncations had cost, and nothing was gained before: what is
/// left is of that order, not hundreds of times as much. At one M the same gains could be the start of a descent, but
/// none that is longer than the whole history shows.
TEST(DmrgHistory, GainsAcrossAChangeOfMAreNoRate) {
    SweepHistory h = history_of(-0.9, {-0.99, -0.99, -0.99, -0.99, -0.99003, -0.99003});
    for (std::size_t s = 0; s < 2; ++s) {
        h.truncation_costs[s] = h.costs_to_right[s] = h.truncations[s] = 1e-5;
        h.requested_states[s] = 40;
    }
    h.requested_states[2] = 80;
    EXPECT_NEAR(remaining_gain(h, 0), 4e-5, 1e-12);
    h.requested_states[2] = 40;
    EXPECT_NEAR(remaining_gain(h, 0), 396e-5, 1e-10);
    h.start_energy = h.energies_to_right[0] = -0.99;
    EXPECT_NEAR(remaining_gain(h, 0), 3e-5, 1e-12);
    h.requested_states[2] = 80;
    h.truncations[1] = 0;  // nothing was discarded: a larger M changes nothing
    h.start_energy = -0.9;
    EXPECT_NEAR(remaining_gain(h, 0), 396e-5, 1e-10);
}

/// Gains that shrink tenfold leave a ninth of the last one; those of a mixture need not go on so.
TEST(DmrgHistory, GainsOfAMixtureAreNoRate) {
    const SweepHistory h = history_of(0, {-1, -1.1, -1.11, -1.111});
    EXPECT_LT(remaining_gain(h, 0), 2e-3);
    EXPECT_NEAR(remaining_gain(h, 0, true), 0.396, 1e-9);
}

/// The first half sweep had a low energy, but too few block states to keep it: the descent after it counts, although it
/// stays above.
TEST(DmrgHistory, ADescentAboveALostMinimumGoesOn) {
    std::vector<double> energies = {-1};
    for (int n = 1; n < 20; ++n) energies.push_back(-0.99999 + 1e-2 * std::pow(0.9, n));
    SweepHistory h = history_of(-0.9, energies);
    h.costs_to_right[0] = 0.05;
    EXPECT_GE(remaining_gain(h, 0), 1e-2 * std::pow(0.9, 19));
    EXPECT_LE(remaining_gain(h, 0), 5e-2 * std::pow(0.9, 19));
}

/// Noise raises the energy, and the next sweep returns to the former one.
TEST(DmrgHistory, WhatNoiseHasAddedIsNoDescent) {
    EXPECT_LT(remaining_gain(history_of(-0.9, {-1, -1, -1, -1, -1, -0.99, -1, -1}), 0), 1e-12);
    EXPECT_GT(remaining_gain(history_of(-0.9, {-1, -1, -1, -1, -1, -0.99, -1.001, -1.001}), 0), 1e-3);
}

TEST(DmrgHistory, ALowerEnergyOfAnEarlierSweepIsAnError) {
    const SweepHistory h = history_of(0, {-1, -1.5, -1.2, -1.2, -1.2, -1.2});
    EXPECT_NEAR(h.above_lowest(0), 0.3, 1e-15);
    EXPECT_EQ(h.above_lowest(1), 0);  // the first sweep was in single precision
    EXPECT_GE(error_estimate(h, 0, 0), 0.3);
}

TEST(DmrgHistory, AnErrorIsNeverBelowTheRounding) {
    EXPECT_EQ(error_estimate(history_of(-1, {-1, -1, -1, -1}), 0, 1e-12), 1e-12);
}

/// The same energies after one sweep and after two.
TEST(DmrgHistory, OneSweepTellsLess) {
    SweepHistory h = history_of(-1, {-1, -1, -1, -1});
    h.truncation_costs[0] = h.truncation_costs[1] = 1e-3;
    const double two = error_estimate(h, 0, 1e-12);
    h.sweeps = 1;
    EXPECT_NEAR(error_estimate(h, 0, 1e-12), 4 * two, 1e-11);
}

/// The extrapolated line has the energy -1 at a discarded weight of 0.
TEST(DmrgHistory, EnergiesAreExtrapolatedInTheDiscardedWeight) {
    SweepHistory h = history_of(0, {-0.9, -0.9, -0.99, -0.99});
    h.truncations[0] = 1e-2;
    h.truncations[1] = 1e-3;
    EXPECT_NEAR(extrapolated_energy(h, 0).value(), -1, 1e-12);
    EXPECT_NEAR(truncation_estimate(h, 0), 0.02, 1e-12);
    h.truncations[1] = 5e-3;  // too close to the other weight
    EXPECT_FALSE(extrapolated_energy(h, 0));
    h.truncations[1] = 0;
    EXPECT_EQ(extrapolated_energy(h, 0), -0.99);
}

Model model_of(const std::string& job) { return dmrg_job(job).model; }

using Groups = std::vector<std::vector<int>>;

TEST(DmrgConserved, GroupsThatNoHoppingConnects) {
    const std::string four = "[lattice]\nextents = 4\n[model]\n";
    EXPECT_EQ(charge_groups(model_of(four + "t = 1\n")), (Groups{{0, 1, 2, 3}}));
    const std::string full = "t = 0\nt2 = 1\nv = 1\n[sector]\nup = 4\ndown = 0\n";
    EXPECT_EQ(charge_groups(model_of(four + full)), (Groups{{0, 2}, {1, 3}}));
    EXPECT_EQ(separate_charges(model_of(four + full)), "");  // there is only one way to distribute the electrons
    for (const char* open :
         {"t = 0\nt2 = 1\n", "t = 0\nt2 = 1\n[sector]\nup = 4\ndown = 1\n", "type = heisenberg\nj = 0\njz = 1\n"})
        EXPECT_THROW(model_of(four + open), std::exception) << open;
}

using Pairs = std::vector<std::pair<int, int>>;

/// Legs and diagonals of equal amplitude: the sites of a rung may be exchanged, for electrons also with a change of
/// sign.
TEST(DmrgConserved, RungsOfFullyFrustratedLadders) {
    const std::string ladder = "[lattice]\ntype = ladder\nextents = 3,2\n[model]\n", spins = "type = heisenberg\n";
    const Pairs rungs = {{0, 1}, {2, 3}, {4, 5}};
    EXPECT_EQ(exchangeable_sites(model_of(ladder + "t2 = 1\n")), rungs);
    EXPECT_EQ(exchangeable_sites(model_of(ladder + "t2 = -1\n")), rungs);
    EXPECT_EQ(exchangeable_sites(model_of(ladder + spins + "j2 = 1\n")), rungs);
    EXPECT_EQ(exchangeable_sites(model_of(ladder + spins + "j2 = 1\nfield = 1,1,2,2,3,4\n")), (Pairs{{0, 1}, {2, 3}}));
    for (const std::string& other : {std::string("t2 = 0.9\n"), std::string(), spins + "j2 = -1\n", spins})
        EXPECT_EQ(exchangeable_sites(model_of(ladder + other)), Pairs()) << other;
}

}  // namespace
}  // namespace strata::dmrg
