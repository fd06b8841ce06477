// SPDX-License-Identifier: BSD-3-Clause
// Energies against independent solutions (Lieb and Wu; exact diagonalization in numpy, reference values to 12 digits)
// on the ranks of this run, and the same bits as on one rank.
#include "lanczos/run/ground_state.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "lanczos/run/lowest_states.hpp"
#include "strata/error.hpp"
#include "support/dense_sector.hpp"
#include "support/lanczos_runs.hpp"
#include "support/large_cases.hpp"

namespace strata::lanczos {
namespace {

using krylov::Count;

void expect_energy(const LanczosConfig& c, double exact, const char* what) {
    GroundState system(LanczosPlan(c, world().size(), world().rank(), 1), on_cpu());
    const Series series = run(system);
    EXPECT_NEAR(values(system, series, "energy")[0], exact, 1e-10) << what;
    EXPECT_EQ(values(system, series, "converged")[0], 1) << what;
    EXPECT_LT(values(system, series, "residual")[0], 1e-7) << what;
}

TEST(Energies, OfRingsAndChains) {
    expect_energy(config("ring", {8}, 4, 4, 8), -2.666147420132, "Lieb-Wu");
    expect_energy(config("ring", {10}, 3, 3, 8), -7.448517346073, "Lieb-Wu");
    expect_energy(config("chain", {8}, 4, 4, 4), -4.235806999130, "numpy");
    if (!large_cases) return;
    expect_energy(config("ring", {10}, 5, 5, 4), -5.834322635773, "Lieb-Wu");
    expect_energy(config("ring", {12}, 6, 6, 4), -6.920353562419, "Lieb-Wu");
}

TEST(Energies, OfClusters) {
    expect_energy(config("square", {4, 2}, 4, 4, 4), -10.252952955264, "double bonds");
    expect_energy(config("tilted", {2, 2}, 4, 4, 8), -3.783980808912, "tilted 8");
    expect_energy(config("checkerboard", {3, 3}, 2, 1, 4), -9.492318385993, "flat band");
    if (!large_cases) return;
    expect_energy(config("tilted", {3, 1}, 5, 5, 4), -8.407547601889, "tilted 10");
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
    c.potential = {0.3, -0.7, 0.1, 0.9, -0.2, 0.5, -0.4, 0.6};
    expect_energy(c, -3.614471432197, "disorder");
}

/// Free particles fill the lowest levels, in every code path.
TEST(Energies, OfFreeParticles) {
    double levels = 0;
    for (int k : {0, 1, -1}) levels += -2 * std::cos(2 * M_PI * k / 8);
    expect_energy(config("ring", {8}, 3, 3, 0), 2 * levels, "U = 0");
    expect_energy(config("square", {4, 4}, 1, 1, 0), -8, "the bottom of the band, twice");
    expect_energy(single("checkerboard", {3, 3}, 5, 0), -13.429553284238, "flat band");
    if (!large_cases) return;
    expect_energy(single("ring", {18}, 9, 0), -11.517540966287, "ring of 18, half filled");
    expect_energy(single("checkerboard", {5, 3}, 5, 0), -14.505843310386, "30 sites");
}

/// All pairs of 8 sites with random complex hops: the lowest levels of the one-particle matrix, filled.
TEST(Energies, OfFreeParticlesThatHopAtRandom) {
    LanczosConfig c = config("custom", {1, 1}, 3, 4, 0);
    std::vector<Complex> matrix(64);
    for (int i = 0; i < 8; ++i)
        for (int j = i + 1; j < 8; ++j) {
            const double re = std::sin(1.0 + 7 * i + 31 * j), im = std::cos(2.0 + 13 * i + 5 * j);
            char bond[100];
            std::snprintf(bond, sizeof bond, "%d %d 0 0 %.17g %.17g;", i, j, re, im);
            c.lattice.cell_bonds += bond;
            matrix[static_cast<std::size_t>(8 * i + j)] = -Complex(re, im);  // column i, row j: hop from i to j
            matrix[static_cast<std::size_t>(8 * j + i)] = -Complex(re, -im);
        }
    const std::vector<double> levels = krylov::hermitian_pairs(8, matrix).values;
    const double three = levels[0] + levels[1] + levels[2], four = three + levels[3];
    expect_energy(c, three + four, "3 and 4 particles");
    c.model = ModelType::fermions;
    c.up = 4;
    c.down = 0;
    expect_energy(c, four, "4 particles");
}

TEST(Energies, OfOneSpecies) {
    expect_energy(single("ring", {12}, 6, 1), -5.857940108578, "V = 1");
    expect_energy(single("ring", {12}, 6, 2), -4.543710125427, "V = 2");
    expect_energy(single("ring", {16}, 8, 2), -6.113039500093, "V = 2");
    expect_energy(single("ring", {18}, 9, 1), -9.075931404114, "V = 1");
}

TEST(Energies, OfHeisenbergSpins) {
    expect_energy(spins("ring", {4}, 2), -2, "ring of 4");
    expect_energy(spins("ring", {12}, 6), -5.387390917445, "ring of 12");
    expect_energy(spins("square", {4, 4}, 8), -11.228483208429, "4 x 4");
    expect_energy(spins("tilted", {3, 3}, 9), -12.491747697440, "tilted 18");
}

/// A ring of fermions with V = 2 is the Heisenberg ring if a hop across its end passes an even number of particles, or
/// if a flux compensates the sign (Jordan and Wigner).
TEST(Energies, OfFermionsAreThoseOfSpins) {
    expect_energy(single("ring", {10}, 5, 2), -4.030892708984, "odd");
    LanczosConfig c = single("ring", {12}, 6, 2);
    c.lattice.flux = {M_PI};
    expect_energy(c, 2 * -5.387390917445 + 2 * (6 - 12 / 4.0), "even, with flux");
}

/// Small sectors with symmetry have fewer distinct levels than states, so that the Krylov space ends early, at a step
/// whose beta is only rounding. This must be detected for any start vector.
TEST(Energies, WhereTheKrylovSpaceEnds) {
    LanczosConfig complete = spins("custom", {1, 1}, 1);
    complete.lattice.cell_bonds = "0 1 0 0 1; 0 2 0 0 1; 0 3 0 0 1; 1 2 0 0 1; 1 3 0 0 1; 2 3 0 0 1";
    for (std::uint64_t seed = 1; seed <= (world().size() == 1 ? 16 : 2); ++seed)  // many ranks are slow
        for (LanczosConfig c : {spins("ring", {3}, 1), config("ring", {3}, 2, 0, 4), config("ring", {3}, 3, 2, 4),
                                spins("ring", {5}, 4), complete}) {
            c.seed = seed;
            const DenseSector dense(c);
            expect_energy(c, dense.energy(0), "seed");
        }
}

/// The search for degenerate ground states against the multiplicities of dense diagonalization.
TEST(Degeneracy, IsThatOfTheDenseSector) {
    for (std::uint64_t seed = 1; seed <= (world().size() == 1 ? 4 : 1); ++seed)
        for (LanczosConfig c : {spins("ring", {3}, 1), config("ring", {4}, 2, 1, 4), config("ring", {6}, 3, 2, 4),
                                config("ring", {6}, 3, 3, 4), config("ring", {4}, 2, 2, 0), single("ring", {6}, 2, 1),
                                single("checkerboard", {2, 2}, 3, 1), config("ring", {6}, 0, 0, 4),
                                spins("square", {3, 2}, 3), spins("chain", {5}, 2)}) {
            c.seed = seed;
            const DenseSector dense(c);
            std::size_t count = 0;
            while (count < dense.size() && dense.energy(count) - dense.energy(0) < 1e-9) ++count;
            GroundState system(LanczosPlan(c, world().size(), world().rank(), 1), on_cpu());
            const Series series = run(system);
            EXPECT_NEAR(values(system, series, "energy")[0], dense.energy(0), 1e-10);
            SCOPED_TRACE(c.lattice.type + " " + std::to_string(seed));
            expect_degeneracy(system, series, count == 1 ? 1 : 2, count == 1 ? Count::complete : Count::at_least);
            bool correlated = false;
            for (const Quantity& q : system.results(series))
                correlated = correlated || q.name.starts_with("occupation");
            EXPECT_EQ(correlated, count == 1);
        }
}

/// If rounding in single precision leaves a larger residual than the estimate of the recurrence, the true residual
/// decides.
TEST(Convergence, IsDecidedByTheTrueResidual) {
    LanczosConfig c = config("ring", {8}, 4, 3, 4);
    c.precision = Precision::single;
    c.tolerance = 1e-7;
    GroundState system(LanczosPlan(c, world().size(), world().rank(), 1), on_cpu());
    const Series series = run_whole(system);
    const double estimate = values(system, series, "residual-estimate")[0],
                 residual = values(system, series, "residual")[0];
    EXPECT_GT(residual, 1.1 * estimate) << "this test tells nothing";
    EXPECT_EQ(values(system, series, "converged")[0], 0);
    EXPECT_NE(system.shortfall().find("above run.tolerance"), std::string::npos) << system.shortfall();
}

/// One particle on three separate chains, two of them equal and the third with nearly the same energy: a superposition
/// of a second ground state and the next state already resembles an eigenvector.
TEST(Degeneracy, WhereAnotherLevelIsNear) {
    LanczosConfig c = single("custom", {1, 1}, 1, 0);
    for (int chain = 0; chain < 3; ++chain)
        for (int i = 8 * chain; i < 8 * chain + 7; ++i)
            c.lattice.cell_bonds +=
                std::to_string(i) + " " + std::to_string(i + 1) + " 0 0 " + (chain < 2 ? "1" : "0.99999") + ";";
    for (std::uint64_t seed = 1; seed <= 16; ++seed) {
        c.seed = seed;
        GroundState system(LanczosPlan(c, world().size(), world().rank(), 1), on_cpu());
        const Series series = run(system);
        EXPECT_NEAR(values(system, series, "energy")[0], -2 * std::cos(M_PI / 9), 1e-10) << seed;
        SCOPED_TRACE(seed);
        expect_degeneracy(system, series, 2, Count::at_least);
    }
}

/// The lowest levels of the ring of 6 with U = 1e4 and 1e6, by numpy.linalg.eigh, differ by less than 1e-9 U.
TEST(Degeneracy, WhereTheInteractionIsLarge) {
    const auto of = [](double u, std::uint64_t states) {
        LanczosConfig c = config("ring", {6}, 3, 3, u);
        c.states = states;
        return c;
    };
    GroundState resolved(plan(of(1e4, 1)), on_cpu());
    const Series series = run(resolved);
    EXPECT_NEAR(values(resolved, series, "energy")[0], -1.72111018e-3, 1e-10);
    EXPECT_EQ(values(resolved, series, "degeneracy")[0], 1);
    EXPECT_NEAR(values(resolved, series, "occupation-up")[0], 0.5, 1e-4);
    GroundState mixed(plan(of(1e6, 1)), on_cpu());
    const Series rows = run(mixed);
    EXPECT_TRUE(std::isnan(values(mixed, rows, "degeneracy")[0]));
    EXPECT_NE(mixed.remark().find("cannot be told apart"), std::string::npos) << mixed.remark();
    for (const Quantity& q : mixed.results(rows)) {
        EXPECT_NE(q.name, "occupation-up");
        EXPECT_NE(q.name, "next-energy");
    }
    LowestStates several(plan(of(1e6, 4)), on_cpu());
    const Series all = run(several);
    const double exact[] = {-1.721110e-5, -1.447214e-5, -1.2e-5, -1.112300e-5};
    for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(values(several, all, "energies")[i], exact[i], 1e-9);
    EXPECT_EQ(values(several, all, "degeneracy")[0], 1);
}

/// An interaction that no state of the sector knows is no scale of its energies.
TEST(Degeneracy, OfOneParticleIsNoMatterOfTheInteraction) {
    LanczosConfig c = config("ring", {6}, 1, 0, 1e8);
    c.tolerance = 1e-4;
    GroundState task(plan(c), on_cpu());
    const Series rows = run(task);
    EXPECT_NEAR(values(task, rows, "energy")[0], -2, 1e-6);
    EXPECT_LT(values(task, rows, "residual")[0], 1e-3);
    EXPECT_EQ(values(task, rows, "degeneracy")[0], 1);
    const SectorCounts counts(plan(c).model(), 1, 0);
    EXPECT_NEAR(counts.upper_bound(), 6, 1e-6);
    const SectorCounts full(plan(config("ring", {6}, 6, 2, 1e8)).model(), 6, 2);
    EXPECT_NEAR(full.lower_bound(), 2e8 - 6, 1);  // both particles on occupied sites
    EXPECT_NEAR(full.upper_bound(), 2e8 + 6, 1);
}

/// Five particles of one component and one of the other on the triangular torus of 2 x 3, U = 1780.55, by
/// numpy.linalg.eigh: a level of three states and one of two are nearer to the next one than sqrt(1e-9) U.
TEST(Degeneracy, OfSeveralStatesOfALargeInteraction) {
    LanczosConfig c = config("triangular", {2, 3}, 1, 5, 1780.551710049343);
    const double lowest = -0.01347900794, next = -0.00673950964, exact[] = {lowest, lowest, lowest, next, next, 0};
    for (std::uint64_t states : {2, 4, 6})
        for (std::uint64_t seed : {575834, 1, 2, 3}) {
            c.states = states;
            c.seed = seed;
            LowestStates several(plan(c), on_cpu());
            const Series series = run(several);
            SCOPED_TRACE(std::to_string(states) + " states, seed " + std::to_string(seed));
            expect_degeneracy(several, series, states < 3 ? 2 : 3, states < 3 ? Count::at_least : Count::complete);
            EXPECT_EQ(several.remark().find("There may be further") != std::string::npos, states < 3);
            const std::vector<double> energies = values(several, series, "energies");
            for (std::size_t i = 0; i < states; ++i) EXPECT_NEAR(energies[i], exact[i], 1e-9) << states << seed;
        }
}

/// A site energy common to all sites is a constant of the sector and must not count as a scale of energies or cause
/// rounding.
TEST(Degeneracy, WithALargeSiteEnergy) {
    LanczosConfig c = config("ring", {6}, 3, 3, 4);
    GroundState plain(plan(c), on_cpu());
    const Series expected = run(plain);
    c.potential = {1e8};
    GroundState shifted(plan(c), on_cpu());
    const Series series = run(shifted);
    EXPECT_NEAR(values(shifted, series, "energy")[0] - 6e8, values(plain, expected, "energy")[0], 1e-6);
    for (const char* name : {"degeneracy", "residual", "spin-correlation"})
        EXPECT_EQ(values(shifted, series, name), values(plain, expected, name)) << name;
}

TEST(Energies, OfTheSmallestSpaces) {
    expect_energy(config("ring", {6}, 0, 0, 4), 0, "dimension 1");
    expect_energy(config("ring", {6}, 6, 6, 4), 24, "full");
    expect_energy(config("ring", {2}, 1, 0, 4), -2, "dimension 2");
    expect_energy(config("ring", {2}, 1, 1, 0), -4, "dimension 4, degenerate levels");
    expect_energy(single("ring", {6}, 0, 4), 0, "dimension 1");
    expect_energy(single("ring", {6}, 6, 0.5), 3, "full");
    expect_energy(spins("ring", {2}, 1), -1.5, "a singlet on two bonds");
}

/// Every coefficient of the recurrence agrees to the last bit on one rank and on all, with one thread and with two, for
/// every exchange of rows.
TEST(SameBits, OnAnyRanks) {
    for (LanczosConfig c :
         {config("ring", {large_cases ? 10 : 8}, 5, 4, 4), config("checkerboard", {large_cases ? 3 : 2, 2}, 3, 3, 4),
          single("checkerboard", {4, 2}, 6, 1), spins("tilted", {3, 1}, 5)}) {
        c.tolerance = 1e-7;
        c.potential.clear();  // no symmetry, so that the ground state is unique
        for (int i = 0; i < make_lattice(c.lattice).sites; ++i) c.potential.push_back(0.3 * std::sin(1.0 + 3 * i));
        const Communicator self = Communicator::alone();
        GroundState alone(LanczosPlan(c, 1, 0, 2), on_cpu(self));
        const Series expected = run(alone, 2);
        for (RequestedExchange mode :
             {RequestedExchange::automatic, RequestedExchange::rows, RequestedExchange::transpose}) {
            if (mode == RequestedExchange::transpose && c.components() == 1) continue;
            c.exchange = mode;
            GroundState together(LanczosPlan(c, world().size(), world().rank(), 1), on_cpu());
            const Series series = run(together);
            EXPECT_TRUE(std::ranges::equal(series.values(), expected.values()));
            const std::vector<Quantity> found = together.results(series), same = alone.results(expected);
            ASSERT_EQ(found.size(), same.size());
            for (std::size_t i = 0; i < found.size(); ++i) EXPECT_EQ(found[i].value, same[i].value) << found[i].name;
        }
    }
}

TEST(Plan, RefusesRealForComplex) {
    LanczosConfig c = config("ring", {6}, 3, 3, 4);
    EXPECT_NO_THROW(LanczosPlan(c, 2, 1, 1));
    c.lattice.flux = {0.3};
    c.arithmetic = RequestedArithmetic::real;
    EXPECT_THROW(LanczosPlan(c, 1, 0, 1), Error);
}

}  // namespace
}  // namespace strata::lanczos
