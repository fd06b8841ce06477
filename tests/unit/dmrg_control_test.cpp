// SPDX-License-Identifier: BSD-3-Clause
// Decisions about sweeps, from histories that are written down: no chain is made.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "dmrg/run/sweep_control.hpp"

namespace strata::dmrg {
namespace {

/// A finished sweep: requested and used M, energies of its halves, largest discarded weight and cost of truncations.
struct Sweep {
    std::uint64_t requested;
    double used, to_right, to_left, weight, cost, noise = 0;
};

SweepHistory history_of(const std::vector<Sweep>& sweeps, double start_energy = -1) {
    SweepHistory h;
    h.start_energy = start_energy;
    for (const Sweep& s : sweeps) {
        h.requested_states[h.sweeps] = s.requested;
        h.states[h.sweeps] = s.used;
        h.energies_to_right[h.sweeps] = s.to_right;
        h.energies[h.sweeps] = s.to_left;
        h.truncations[h.sweeps] = s.weight;
        h.truncation_costs[h.sweeps] = h.costs_to_right[h.sweeps] = s.cost;
        h.extra_noise[h.sweeps++] = s.noise;
    }
    return h;
}

DmrgConfig settings() {
    DmrgConfig c;
    c.noise = {0};
    c.tolerance = 1e-6;
    c.start_states = 20;
    c.max_states = 400;
    c.max_sweeps = 6;
    c.products = 4;
    return c;
}

DmrgConfig with_schedule(const std::vector<std::uint64_t>& states) {
    DmrgConfig c = settings();
    for (const std::uint64_t m : states) c.schedule.push_back({m});
    return c;
}

constexpr double rounding = 1e-12;
constexpr Sweep first = {20, 20, -1, -1, 1e-6, 1e-6};
constexpr Sweep exact = {100, 30, -1, -1, 0, 0}, exact_with_noise = {64, 30, -1, -1, 0, 0, 1e-4};

TEST(DmrgControl, DecisionsAfterASweep) {
    struct Case {
        std::string what;
        std::vector<Sweep> sweeps;
        SweepDecision expected;
    };
    const std::vector<Case> cases = {
        {"the energy has settled: M doubles", {first}, {40, 0, false, false}},
        {"it falls by more than truncations cost: the same M, with noise",
         {{20, 20, -1, -1.1, 1e-6, 1e-6}},
         {20, 1e-4, false, false}},
        {"no M is larger than run.max-states", {first, {300, 300, -1, -1, 1e-6, 1e-6}}, {400, 0, false, false}},
        {"nothing is discarded: M of the starts", {first, exact}, {64, 1e-4, false, true}},
        {"nothing is discarded: twice what is used", {first, {100, 40, -1, -1, 0, 0}}, {80, 1e-4, false, true}},
        {"exact and converged, but no sweep with noise has confirmed it", {exact, exact}, {64, 1e-4, false, true}},
        {"a sweep with noise ends no run", {exact, exact, exact_with_noise}, {128, 0, false, true}},
        {"exact, and confirmed by a sweep with noise",
         {exact, exact, exact_with_noise, {64, 30, -1, -1, 0, 0}},
         {64, 0, true, true}},
        {"a sweep with noise has found a lower state",
         {exact, exact, exact_with_noise, {64, 30, -1.1, -1.1, 0, 0}},
         {64, 1e-4, false, false}},
        {"converged with a truncation",
         {{20, 20, -1, -1, 1e-9, 1e-8}, {40, 40, -1, -1, 1e-10, 1e-8}},
         {50, 0, true, true}},
        {"at the largest M nothing changes any more",
         {first, {400, 400, -1, -1, 1e-5, 1e-4}, {400, 400, -1, -1, 1e-5, 1e-4}},
         {400, 0, true, false}},
        {"the largest M is reached only now",
         {{300, 300, -1, -1, 1e-5, 1e-4}, {400, 400, -1, -1, 1e-5, 1e-4}},
         {400, 0, false, false}},
        {"run.max-sweeps are made", std::vector<Sweep>(6, {20, 20, -1, -1, 1e-5, 1e-4}), {40, 0, true, false}},
    };
    for (const Case& one : cases) {
        const DmrgConfig c = settings();
        const SweepHistory h = history_of(one.sweeps);
        const SweepDecision found = SweepControl(c, h, rounding).decide();
        EXPECT_EQ(found.next_states, one.expected.next_states) << one.what;
        EXPECT_EQ(found.extra_noise, one.expected.extra_noise) << one.what;
        EXPECT_EQ(found.finished, one.expected.finished) << one.what;
        EXPECT_EQ(found.converged, one.expected.converged) << one.what;
    }
}

/// A schedule says how many sweeps there are, whatever they find.
TEST(DmrgControl, ASchedulePrescribesAll) {
    const DmrgConfig c = with_schedule({10, 20, 40});
    for (std::size_t made = 1; made <= 3; ++made) {
        const SweepHistory h = history_of(std::vector<Sweep>(made, exact));
        const SweepControl control(c, h, rounding);
        EXPECT_EQ(control.finished(), made == 3);
        EXPECT_EQ(control.decide().extra_noise, 0);
        EXPECT_EQ(control.requested_states(made), made == 1 ? 20U : 40U);
        EXPECT_EQ(control.predicted_states(false), (std::vector<std::uint64_t>{10, 20, 40}));
    }
    EXPECT_EQ(SweepControl(c, {}, rounding).max_sweeps(), 3U);
}

/// The weight falls as M^-p with p = log 100 / log 2, and the error, 2e-5, must fall to half of the tolerance.
TEST(DmrgControl, MGrowsAsTheDiscardedWeightDemands) {
    const DmrgConfig c = settings();
    SweepHistory h = history_of({{20, 20, -1, -1, 1e-4, 1e-4}, {40, 40, -1.0001, -1.0001, 1e-6, 1e-5}});
    const SweepControl control(c, h, rounding);
    const double growth = std::pow(40, std::log(2) / std::log(100));
    EXPECT_NEAR(control.required_growth().value(), growth, 1e-12);
    EXPECT_EQ(control.next_states(), static_cast<std::uint64_t>(std::ceil(40 * growth)));
    h.truncation_costs[1] = 1e-2;  // no step is larger than a factor of two
    EXPECT_EQ(control.next_states(), 80U);
    h.truncation_costs[1] = 1e-8;  // nor smaller than 1.25
    h.truncations[1] = 1e-7;
    EXPECT_EQ(control.next_states(), 50U);
    h.truncations[1] = 9e-5;  // falls less than M grows
    EXPECT_FALSE(control.required_growth());
}

TEST(DmrgControl, TwiceWhatNoiseHasGainedIsAnError) {
    const DmrgConfig c = settings();
    SweepHistory h = history_of({exact, exact, exact_with_noise, {64, 30, -1.1, -1.1, 0, 0}});
    h.truncation_costs[1] = 0.01;
    const SweepControl control(c, h, rounding);
    EXPECT_NEAR(control.gain_through_noise().value(), 2 * (0.1 - 0.02), 1e-12);
    EXPECT_GE(control.error_estimate(), 2 * (0.1 - 0.02));
    h.truncation_costs[1] = 0.2;  // the truncations had cost more
    EXPECT_EQ(control.gain_through_noise(), 0);
    h.sweeps = 2;
    EXPECT_FALSE(control.gain_through_noise());
    h.extra_noise[0] = h.extra_noise[1] = 1e-4;  // no sweep without noise before
    EXPECT_FALSE(control.gain_through_noise());
}

TEST(DmrgControl, SweepsThatLeaveStatesUnusedGetMoreProducts) {
    const DmrgConfig c = settings(), scheduled = with_schedule({100, 100, 100});
    const Sweep full = {20, 20, -1, -1, 1e-6, 1e-6};
    const SweepHistory h = history_of({full, exact, full, exact});
    const SweepControl control(c, h, rounding);
    const std::vector<std::uint64_t> expected = {4, 4, 8, 8, 16};
    for (std::uint64_t s = 0; s < expected.size(); ++s) EXPECT_EQ(control.products(s), expected[s]) << s;
    EXPECT_EQ(SweepControl(scheduled, h, rounding).products(4), 4U);
    const SweepHistory many = history_of(std::vector<Sweep>(20, exact));
    EXPECT_EQ(SweepControl(c, many, rounding).products(20), 1000U);
}

/// Values are measured before the last group of sweeps of equal M.
TEST(DmrgControl, TheLastGroupOfEqualM) {
    for (const auto& [states, begins] : std::vector<std::pair<std::vector<std::uint64_t>, bool>>{
             {{10, 20, 20}, true}, {{10, 20, 40}, false}, {{20, 20, 20}, false}, {{20, 10, 10}, false}}) {
        const DmrgConfig c = with_schedule(states);
        const SweepHistory h = history_of({exact});
        EXPECT_EQ(SweepControl(c, h, rounding).may_begin_last_states(), begins) << states[1];
    }
    const DmrgConfig c = settings();
    SweepHistory h = history_of({{20, 20, -1, -1, 1e-6, 1e-6}});
    h.requested_states[1] = 40;
    EXPECT_TRUE(SweepControl(c, h, rounding).may_begin_last_states());
    h.extra_noise[0] = 1e-4;
    EXPECT_FALSE(SweepControl(c, h, rounding).may_begin_last_states());
}

TEST(DmrgControl, SweepsThatArePredicted) {
    using List = std::vector<std::uint64_t>;
    const DmrgConfig c = settings();
    EXPECT_EQ(SweepControl(c, {}, rounding).predicted_states(false), (List{20, 40, 80, 160}));
    SweepHistory h = history_of({{20, 20, -1, -1, 1e-4, 1e-4}, {40, 40, -1.0001, -1.0001, 1e-6, 1e-5}});
    h.requested_states[2] = 60;
    EXPECT_EQ(SweepControl(c, h, rounding).predicted_states(false), (List{20, 40, 60, 69}));
    EXPECT_EQ(SweepControl(c, h, rounding).predicted_states(true), (List{20, 40}));
}

}  // namespace
}  // namespace strata::dmrg
