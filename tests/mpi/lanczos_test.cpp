// SPDX-License-Identifier: BSD-3-Clause
// Energies against solutions made another way (Lieb and Wu; exact diagonalization in numpy, reference values to 12
// digits), over the ranks of this run, and the same bits as on one rank.
#include "lanczos/lanczos.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "comm/collectives.hpp"
#include "strata/error.hpp"
#include "support/world.hpp"

namespace strata::lanczos {
namespace {

LanczosConfig config(const std::string& type, std::vector<std::int64_t> extents, int up, int down, double u) {
    LanczosConfig c;
    c.lattice.type = type;
    c.lattice.extents = std::move(extents);
    c.lattice.phase = M_PI / 4;
    c.up = up;
    c.down = down;
    c.u = {u};
    c.epsilon = {0};
    c.max_steps = 400;
    c.tolerance = 1e-10;
    c.simd = "auto";
    return c;
}

/// All steps; the energies that were observed.
std::vector<double> run(Lanczos& system) {
    system.allocate();
    system.initialise();
    std::vector<double> energies, row(4);
    for (std::uint64_t step = 0; step < system.total_steps(); ++step) {
        system.step(step);
        if (!system.observes(step)) continue;
        system.observe(row);
        EXPECT_EQ(system.broken_invariant(row), "");
        energies.insert(energies.end(), row.begin(), row.end());
    }
    return energies;
}

double value(const Lanczos& system, const std::string& name, std::size_t i = 0) {
    Series series(system.columns());
    series.append(std::vector<double>(4, 0.0));
    for (const Quantity& q : system.results(series))
        if (q.name == name) return q.value.at(i);
    ADD_FAILURE() << name << " is missing";
    return 0;
}

void expect_energy(const LanczosConfig& c, double exact, const char* what) {
    Lanczos system(world(), LanczosPlan(c, world().size(), world().rank(), 1));
    run(system);
    EXPECT_NEAR(value(system, "energy"), exact, 1e-10) << what;
    EXPECT_EQ(value(system, "converged"), 1) << what;
    EXPECT_LT(value(system, "residual"), 1e-7) << what;
}

TEST(Energies, OfRingsAndChains) {
    expect_energy(config("ring", {8}, 4, 4, 8), -2.666147420132, "Lieb-Wu");
    expect_energy(config("ring", {10}, 5, 5, 4), -5.834322635773, "Lieb-Wu");
    expect_energy(config("ring", {10}, 3, 3, 8), -7.448517346073, "Lieb-Wu");
    expect_energy(config("ring", {12}, 6, 6, 4), -6.920353562419, "Lieb-Wu");
    expect_energy(config("chain", {8}, 4, 4, 4), -4.235806999130, "numpy");
}

TEST(Energies, OfClusters) {
    expect_energy(config("square", {4, 2}, 4, 4, 4), -10.252952955264, "double bonds");
    expect_energy(config("tilted", {2, 2}, 4, 4, 8), -3.783980808912, "tilted 8");
    expect_energy(config("tilted", {3, 1}, 5, 5, 4), -8.407547601889, "tilted 10");
    expect_energy(config("checkerboard", {3, 3}, 2, 1, 4), -9.492318385993, "flat band");
    expect_energy(config("checkerboard", {3, 3}, 3, 2, 4), -14.094586249095, "flat band");
}

TEST(Energies, WithFluxNeighboursAndDisorder) {
    LanczosConfig c = config("ring", {8}, 4, 4, 4);
    c.lattice.flux = {M_PI / 2};
    expect_energy(c, -4.671267471948, "flux pi / 2");
    c.lattice.flux = {M_PI};
    expect_energy(c, -4.731046933777, "flux pi");
    c.lattice.flux = {};
    c.v = 1;
    expect_energy(c, 2.621973398021, "V = 1");
    c.v = 0;
    c.epsilon = {0.3, -0.7, 0.1, 0.9, -0.2, 0.5, -0.4, 0.6};
    expect_energy(c, -3.614471432197, "disorder");
}

/// Free particles fill the lowest levels, whatever the code path.
TEST(Energies, OfFreeParticles) {
    double levels = 0;
    for (int k : {0, 1, -1}) levels += -2 * std::cos(2 * M_PI * k / 8);
    expect_energy(config("ring", {8}, 3, 3, 0), 2 * levels, "U = 0");
    expect_energy(config("square", {4, 4}, 1, 1, 0), -8, "the bottom of the band, twice");
}

TEST(Energies, OfTheSmallestSpaces) {
    expect_energy(config("ring", {6}, 0, 0, 4), 0, "dimension 1");
    expect_energy(config("ring", {6}, 6, 6, 4), 24, "full");
    expect_energy(config("ring", {2}, 1, 0, 4), -2, "dimension 2");
    expect_energy(config("ring", {2}, 1, 1, 0), -4, "dimension 4, degenerate levels");
}

TEST(Observables, OfTheGroundState) {
    LanczosConfig c = config("ring", {10}, 5, 5, 4);
    Lanczos system(world(), LanczosPlan(c, world().size(), world().rank(), 1));
    run(system);
    for (std::size_t i = 0; i < 10; ++i) {
        EXPECT_NEAR(value(system, "occupation-up", i), 0.5, 1e-7);
        EXPECT_NEAR(value(system, "occupation-down", i), 0.5, 1e-7);
    }
    // Hellmann and Feynman: dE/dU = sum of double occupancies
    const auto energy = [&](double u) {
        c.u = {u};
        c.vectors = false;
        Lanczos other(world(), LanczosPlan(c, world().size(), world().rank(), 1));
        run(other);
        return value(other, "energy");
    };
    const double slope = (energy(4.01) - energy(3.99)) / 0.02;
    EXPECT_NEAR(10 * value(system, "double-occupancy"), slope, 1e-5);
}

/// Every coefficient of the recurrence, to the last bit, on one rank and on all, with one thread and with two.
TEST(SameBits, OnAnyRanks) {
    for (LanczosConfig c : {config("ring", {10}, 5, 4, 4), config("checkerboard", {3, 2}, 3, 3, 4)}) {
        c.tolerance = 1e-6;
        const Communicator self = Communicator::alone();
        Lanczos together(world(), LanczosPlan(c, world().size(), world().rank(), 1));
        Lanczos alone(self, LanczosPlan(c, 1, 0, 2));
        EXPECT_EQ(run(together), run(alone));
        for (const char* name : {"energy", "residual", "double-occupancy"})
            EXPECT_EQ(value(together, name), value(alone, name)) << name;
    }
}

TEST(Plan, RefusesRealForComplex) {
    LanczosConfig c = config("ring", {6}, 3, 3, 4);
    EXPECT_NO_THROW(LanczosPlan(c, 2, 1, 1));
    c.lattice.flux = {0.3};
    c.arithmetic = WishedArithmetic::real;
    EXPECT_THROW(LanczosPlan(c, 1, 0, 1), Error);
}

}  // namespace
}  // namespace strata::lanczos
