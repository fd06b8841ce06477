// SPDX-License-Identifier: BSD-3-Clause
// Transitions of first order of Potts models against published numbers, and what energies of one phase show.
#include "swendsen_wang/physics/phase_coexistence.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace strata::swendsen_wang {
namespace {

std::vector<double> around(double energy, std::size_t count = 1000) {
    std::vector<double> energies;
    for (std::size_t i = 0; i < count; ++i) energies.push_back(energy + 0.01 * std::sin(static_cast<double>(i)));
    return energies;
}

TEST(FirstOrderTransition, HasPublishedValues) {
    for (const auto& [states, dimensions] : {std::pair(2, 2), {3, 2}, {4, 2}, {2, 3}})
        EXPECT_FALSE(first_order_transition(states, static_cast<std::size_t>(dimensions)));
    // W. Janke, S. Kappler, Nucl. Phys. B (Proc. Suppl.) 42, 876 (1995): q = 10, 15, 20
    const struct {
        int states;
        double coupling, ordered, disordered;
    } square[] = {{10, 1.426062439, -1.664253, -0.968203},
                  {15, 1.583706, -1.765906, -0.750492},
                  {20, 1.699669, -1.820684, -0.626529}};
    for (const auto& q : square) {
        const auto t = first_order_transition(q.states, 2).value();
        EXPECT_NEAR(t.coupling, q.coupling, 1e-5);
        EXPECT_NEAR(2 * (t.energy - t.latent_heat / 2), q.ordered, 2e-6);
        EXPECT_NEAR(2 * (t.energy + t.latent_heat / 2), q.disordered, 2e-6);
    }
    EXPECT_NEAR(first_order_transition(3, 3).value().coupling, 0.550565, 0.003 * 0.55);
    EXPECT_NEAR(first_order_transition(4, 3).value().coupling, 0.62863, 0.003 * 0.63);
}

TEST(MayBeMetastable, TellsTheWrongPhase) {
    const PottsLattice square = {{64, 64}, 2, 10}, small = {{8, 8}, 2, 10}, open = {{64, 64}, 2 - 2.0 / 64, 10};
    const double ordered = -1.69, disordered = -0.95, transition = 1.426062439;
    EXPECT_FALSE(may_be_metastable(square, 1.01 * transition, 0.5, around(ordered)));
    EXPECT_TRUE(may_be_metastable(square, 1.01 * transition, 0.5, around(disordered)));
    EXPECT_FALSE(may_be_metastable(square, 0.99 * transition, 0.5, around(disordered)));
    EXPECT_TRUE(may_be_metastable(square, 0.99 * transition, 0.5, around(ordered)));
    // both have weight: at the transition, and around it on a small lattice; open axes favour the disordered phase
    for (const double energy : {ordered, disordered}) {
        EXPECT_TRUE(may_be_metastable(square, transition, 0.5, around(energy)));
        EXPECT_TRUE(may_be_metastable(small, 1.01 * transition, 0.5, around(energy)));
        EXPECT_FALSE(may_be_metastable({{64, 64}, 2, 4}, transition, 0.5, around(energy)));
    }
    EXPECT_FALSE(may_be_metastable(open, transition, 0.5, around(disordered)));
    EXPECT_TRUE(may_be_metastable(open, 1.01 * transition, 0.5, around(ordered)));
}

/// Energies of 2 x 4 sites of 256 states (-1.79 on average) that a hot start spreads from -1.25 to 0 for thousands of sweeps.
TEST(MayBeMetastable, WherePhasesAreWideAndTheRunIsShort) {
    const PottsLattice small = {{2, 4}, 2, 256};
    std::vector<double> energies;
    for (int i = 0; i < 4000; ++i) energies.push_back(-0.55 + 0.4 * std::sin(i / 100.0));
    EXPECT_TRUE(may_be_metastable(small, 2.76506, 275, energies));
    EXPECT_FALSE(may_be_metastable(small, 2.76506, 5, energies));
}

TEST(MayBeMetastable, IsNoneWherePhasesChangeOften) {
    const PottsLattice square = {{64, 64}, 2, 10};
    std::vector<double> energies;
    for (const int times : {4, 10}) {
        energies.clear();
        for (int i = 0; i < times; ++i) {
            for (const double e : around(-1.69, 60)) energies.push_back(e);
            for (const double e : around(-0.95, 40)) energies.push_back(e);
        }
        EXPECT_EQ(may_be_metastable(square, 1.426062439, 0.5, energies), times == 4);
    }
}

}  // namespace
}  // namespace strata::swendsen_wang
