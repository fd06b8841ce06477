// SPDX-License-Identifier: BSD-3-Clause
// Searches over all momenta on the ranks of this run: the lowest state of each momentum against single sectors, stars
// of momenta, averages, convergence, and the same bits on any ranks and after a restart.
#include <gtest/gtest.h>

#include "lanczos/physics/make_model.hpp"
#include "lanczos/physics/symmetries.hpp"
#include "lanczos/run/ground_state.hpp"
#include "lanczos/run/sector_search.hpp"
#include "models/wave_vectors.hpp"
#include "support/sector_energies.hpp"
#include "support/sector_runs.hpp"

namespace strata::lanczos {
namespace {

/// The ring of 8 at half filling: the ground state has momentum pi (Lieb and Wu); energies of all momenta from the
/// whole spectrum.
TEST(SectorSearch, FindsTheLowestStateOfEveryMomentum) {
    LanczosConfig c = config("ring", {8}, 4, 4, 4);
    c.symmetry.momenta = Momenta::all;
    SectorSearch system(c, world().size(), world().rank(), 1, on_cpu());
    const Series series = run(system);
    EXPECT_NEAR(values(system, series, "energy")[0], -4.603526299989, 1e-11);
    const std::vector<double> momenta = values(system, series, "momentum-x");
    EXPECT_EQ(momenta, (std::vector<double>{0, 1, 7, 2, 6, 3, 5, 4}));
    const std::vector<double> found = values(system, series, "momentum-energies");
    EXPECT_NEAR(found[7], -4.603526299989, 1e-11);
    for (std::size_t i = 0; i < momenta.size(); ++i) {
        LanczosConfig one = with_momentum(c, {static_cast<std::int64_t>(momenta[i])});
        one.states = 2;
        LowestStates lowest(plan(one), on_cpu());
        EXPECT_NEAR(found[i], values(lowest, run(lowest), "energies")[0], 1e-10) << momenta[i];
    }
}

/// Only one momentum of each star is searched: 3 x 3 sites have stars of 1, 4 and 4 momenta with equal energies.
TEST(SectorSearch, SearchesOneMomentumOfEachStar) {
    for (const auto& [c, sizes] : {std::pair{config("square", {3, 3}, 2, 1, 4), std::vector<std::size_t>{1, 4, 4}},
                                   {config("square", {3, 2}, 2, 2, 4), std::vector<std::size_t>{1, 2, 1, 2}},
                                   {config("triangular", {3, 3}, 1, 2, 3), std::vector<std::size_t>{1, 6, 2}},
                                   {config("tilted", {2, 1}, 2, 2, 3), std::vector<std::size_t>{1, 4}}}) {
        LanczosConfig search = c;
        search.symmetry.momenta = Momenta::all;
        SectorSearch system(search, world().size(), world().rank(), 1, on_cpu());
        const Series series = run(system);
        const std::vector<double> found = values(system, series, "momentum-energies");
        const auto stars = momentum_stars(search.symmetry, make_model(c));
        ASSERT_EQ(stars.size(), sizes.size()) << c.lattice.type;
        std::size_t next = 0;
        for (std::size_t i = 0; i < stars.size(); ++i) {
            EXPECT_EQ(stars[i].size(), sizes[i]) << c.lattice.type;
            for (const Momentum& m : stars[i])
                EXPECT_NEAR(energies_of(with_momentum(c, m))[0], found[next++], 1e-10) << c.lattice.type << list_of(m);
        }
        EXPECT_EQ(next, found.size());
    }
    const LanczosConfig flux = with_flux(config("square", {3, 3}, 2, 1, 4), {0.7, 0});
    EXPECT_EQ(momentum_stars({Momenta::all}, make_model(flux)).size(), 6u);  // stars {ky, -ky}
}

/// The search is not converged if any sector is not, because the ground state may lie there.
TEST(SectorSearch, NeedsTheEnergiesOfAllMomenta) {
    LanczosConfig c = config("ring", {8}, 4, 4, 4);
    const auto shortfall = [](Application& system) {
        run_whole(system);
        return system.shortfall();
    };
    bool one_alone_converged = false;
    for (c.max_steps = 36; c.max_steps <= 60; c.max_steps += 4) {
        GroundState lowest(plan(with_momentum(c, {4})), on_cpu());
        bool all = true;
        for (std::int64_t m = 0; m < 5; ++m) {
            LanczosConfig energy_only = with_momentum(c, {m});
            energy_only.vectors = energy_only.degeneracy = false;
            GroundState sector(plan(energy_only), on_cpu());
            all = shortfall(sector).empty() && all;
        }
        const bool converged = shortfall(lowest).empty();
        c.symmetry = {Momenta::automatic, {}, Parity::any};
        SectorSearch search(c, world().size(), world().rank(), 1, on_cpu());
        EXPECT_EQ(shortfall(search).empty(), all && converged) << c.max_steps;
        one_alone_converged = one_alone_converged || (converged && !all);
    }
    EXPECT_TRUE(one_alone_converged) << "this test tells nothing";
}

TEST(SectorSearch, HasTheSameBitsAnywhereAndAfterARestart) {
    LanczosConfig c = config("ring", {7}, 3, 3, 4);
    c.symmetry.momenta = Momenta::automatic;
    // stops in a real sector, in a complex one, and in the last part
    expect_same_bits_anywhere<SectorSearch>(c, {3, 40, 95}, {"energy", "momentum-energies", "spin-correlation"});
}

/// The Heisenberg ring of 16, J = 1: k = 0 contains the ground state, -7.142296360617 (Hulthen, Bethe); averages are
/// those of the whole space.
TEST(SectorSearch, AveragesOneSpinComponentOverTheWholeCluster) {
    LanczosConfig inverted = spins("ring", {10}, 5);
    inverted.symmetry.spin_inversion = Parity::odd;  // S = 5 spins: the ground state has (-1)^5
    for (LanczosConfig c : {spins("ring", {10}, 5), single("square", {3, 3}, 5, 1.5), inverted}) {
        c.density_matrix = true;
        LanczosConfig whole = c;
        whole.symmetry = {};
        GroundState without(plan(whole), on_cpu());
        const Series expected = run(without);
        c.symmetry.momenta = Momenta::automatic;
        SectorSearch system(c, world().size(), world().rank(), 1, on_cpu());
        const Series series = run(system);
        for (const char* name :
             {"energy", "degeneracy", "occupation", "spin-structure-factor", "density-structure-factor",
              "spin-correlation", "density-correlation", "momentum-distribution"}) {
            if ((c.spins() && std::string(name).starts_with("density-")) ||
                (!c.spins() && std::string(name).starts_with("spin-")))
                continue;
            const std::vector<double> a = values(system, series, name), b = values(without, expected, name);
            ASSERT_EQ(a.size(), b.size()) << name;
            for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-8) << name << " " << i;
        }
    }
    LanczosConfig ring = with_momentum(spins("ring", {16}, 8), {0}, Parity::even);
    EXPECT_EQ(plan(ring).dimension(), 440);  // bracelets of 16 beads, 8 of them black
    ring.symmetry.spin_inversion = Parity::even;
    EXPECT_EQ(plan(ring).dimension(), 257);  // up to the exchange of black and white
    GroundState system(plan(ring), on_cpu());
    const Series series = run(system);
    EXPECT_NEAR(values(system, series, "energy")[0], -7.142296360617, 1e-11);
}

TEST(SectorSearch, AveragesOverTheWholeCluster) {
    LanczosConfig whole = config("square", {3, 2}, 2, 2, 4);
    whole.density_matrix = true;
    for (const std::vector<double>& flux : {std::vector<double>{}, {0.8, 0.3}}) {
        whole.lattice.flux = flux;
        GroundState without(plan(whole), on_cpu());
        const Series expected = run(without);
        LanczosConfig c = whole;
        c.symmetry.momenta = Momenta::automatic;
        SectorSearch system(c, world().size(), world().rank(), 1, on_cpu());
        const Series series = run(system);
        for (const char* name : {"energy", "degeneracy", "double-occupancy", "occupation-up", "density-correlation",
                                 "spin-structure-factor", "momentum-distribution"}) {
            const std::vector<double> a = values(system, series, name), b = values(without, expected, name);
            ASSERT_EQ(a.size(), b.size()) << name;
            for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-8) << name << " " << i;
        }
    }
}

}  // namespace
}  // namespace strata::lanczos
