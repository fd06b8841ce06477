// SPDX-License-Identifier: BSD-3-Clause
// Sectors of momentum and parity on the ranks of this run: together they have the spectrum without symmetries
// (support/dense_sector.hpp), averages are those of the whole space, and bits do not depend on ranks, threads or a
// restart.
#include <gtest/gtest.h>

#include "lanczos/physics/make_model.hpp"
#include "lanczos/run/ground_state.hpp"
#include "lanczos/run/sector_search.hpp"
#include "support/error_of.hpp"
#include "support/sector_energies.hpp"

namespace strata::lanczos {
namespace {

TEST(Sectors, OfAllMomentaHaveTheWholeSpectrum) {
    for (const LanczosConfig& c : translated_systems()) {
        const Lattice lattice = make_model(c).lattice;
        std::vector<double> found;
        for (const auto& m : lattice.momenta()) append(found, energies_of(with_momentum(c, m)));
        expect_spectrum(found, c);
    }
}

TEST(Sectors, OfBothParitiesHaveTheWholeSpectrum) {
    for (const LanczosConfig& c : {config("ring", {6}, 3, 2, 4), config("chain", {5}, 2, 3, 4),
                                   config("honeycomb", {2, 1}, 2, 2, 4), config("square", {3, 2}, 2, 1, 4)}) {
        std::vector<double> found;
        for (const Parity parity : {Parity::even, Parity::odd}) {
            LanczosConfig of_parity = c;
            of_parity.symmetry.parity = parity;
            append(found, energies_of(of_parity));
        }
        expect_spectrum(found, c);
    }
    // only momenta k = -k have a parity
    const LanczosConfig c = config("ring", {6}, 3, 3, 4);
    for (const std::int64_t m : {0, 3}) {
        std::vector<double> both = energies_of(with_momentum(c, {m}, Parity::even));
        append(both, energies_of(with_momentum(c, {m}, Parity::odd)));
        std::ranges::sort(both);
        const std::vector<double> all = energies_of(with_momentum(c, {m}));
        ASSERT_EQ(both.size(), all.size());
        for (std::size_t n = 0; n < all.size(); ++n) EXPECT_NEAR(both[n], all[n], 1e-10);
    }
    EXPECT_THROW(plan(with_momentum(c, {1}, Parity::even)), Error);
}

LanczosConfig with_points(LanczosConfig c, Rotation rotation, Parity reflection, Parity parity = Parity::any) {
    c.symmetry.rotation = rotation;
    c.symmetry.reflection = reflection;
    c.symmetry.parity = parity;
    return c;
}

/// Bonds of amplitude 1 between the given sites of a cell and of the next cells, "from to dx dy", and their positions.
LanczosConfig custom(std::vector<std::int64_t> extents, const std::string& bonds, const std::string& positions) {
    LanczosConfig c = single("custom", std::move(extents), 2, 0.5);
    c.lattice.cell_bonds = bonds;
    c.lattice.cell_positions = positions;
    return c;
}

std::string refusal_of(const LanczosConfig& c) {
    return error_of(ExitCode::bad_input, [&] { plan(c); });
}

/// On these lattices the first reflection in the order of the sites is a glide, and the first operations of two keys
/// have different centres: products of both would be translations, whose factor would be 1.
TEST(Sectors, OfPointOperationsHoldAllStates) {
    for (const LanczosConfig& c : {single("honeycomb", {2, 2}, 1, 1), single("kagome", {2, 2}, 2, 1),
                                   single("honeycomb", {2, 4}, 1, 0), config("kagome", {1, 1}, 2, 1, 4)}) {
        std::vector<double> found;
        for (const Parity sign : {Parity::even, Parity::odd}) append(found, energies_of(with_points(c, {}, sign)));
        expect_spectrum(found, c);
    }
    for (const LanczosConfig& c : {single("honeycomb", {2, 2}, 1, 1), single("kagome", {2, 2}, 2, 1)}) {
        std::vector<double> found, sixfold;
        for (int l = 0; l < 3; ++l)
            for (const Parity sign : {Parity::even, Parity::odd})
                append(found, energies_of(with_points(c, {l, 3}, Parity::any, sign)));
        expect_spectrum(found, c);
        for (int l = 0; l < 6; ++l) append(sixfold, energies_of(with_points(c, {l, 6}, Parity::any)));
        expect_spectrum(sixfold, c);
        for (const int l : {0, 3}) {
            std::vector<double> both;
            for (const Parity sign : {Parity::even, Parity::odd})
                append(both, energies_of(with_points(c, {l, 6}, sign)));
            std::ranges::sort(both);
            std::vector<double> all = energies_of(with_points(c, {l, 6}, Parity::any));
            ASSERT_EQ(both.size(), all.size());
            for (std::size_t n = 0; n < all.size(); ++n) EXPECT_NEAR(both[n], all[n], 1e-10);
        }
    }
}

/// The momentum k . a1 = pi, k . a2 = pi / 2, which the mirror leaves unchanged.
TEST(Sectors, OfReflectionsHaveTheirMomenta) {
    const LanczosConfig c = single("honeycomb", {2, 4}, 2, 1);
    for (const std::vector<std::int64_t>& m : {std::vector<std::int64_t>{1, 1}, {1, 3}, {0, 2}}) {
        std::vector<double> both;
        for (const Parity sign : {Parity::even, Parity::odd})
            append(both, energies_of(with_points(with_momentum(c, m), {}, sign)));
        std::ranges::sort(both);
        const std::vector<double> all = energies_of(with_momentum(c, m));
        ASSERT_EQ(both.size(), all.size());
        for (std::size_t n = 0; n < all.size(); ++n) EXPECT_NEAR(both[n], all[n], 1e-10);
    }
    LanczosConfig every = with_points(c, {}, Parity::even);
    every.symmetry.momenta = Momenta::all;
    std::size_t momenta = 0;
    const SectorList sectors(every);
    for (const ListedSector& sector : sectors.all()) momenta += sector.star.size();
    EXPECT_EQ(momenta, 4);
}

TEST(Sectors, AreRefusedWithoutACommonCentre) {
    const LanczosConfig zigzag = custom({4, 1}, "0 1 0 0 1; 1 0 1 0 1", "0 0; 0.5 0.3");
    EXPECT_NE(refusal_of(with_points(zigzag, {}, Parity::even)).find("only as a glide"), std::string::npos);
    // mirrors at y = 0 and 1/2, centres of inversion at y = 1/4 and 3/4
    const LanczosConfig c = custom({2, 2}, "0 1 0 0 1; 2 3 0 0 1; 0 2 0 0 0.4; 1 3 0 0 0.4; 2 0 0 1 0.4; 3 1 0 1 0.4",
                                   "0.2 0.1; 0.2 -0.1; 0.8 0.4; 0.8 0.6");
    for (const LanczosConfig& one : {with_points(c, {}, Parity::even), with_points(c, {}, Parity::any, Parity::even)})
        EXPECT_EQ(refusal_of(one), "");
    EXPECT_NE(refusal_of(with_points(c, {}, Parity::even, Parity::even)).find("no common centre"), std::string::npos);
}

/// The site energies of the spins are sums of weights that cancel up to rounding.
TEST(Sectors, AreThoseOfCouplingsThatCancel) {
    LanczosConfig c = spins("custom", {7, 1}, 3);
    c.lattice.cell_bonds = "0 0 1 0 1 0 0.1; 0 0 2 0 1 0 0.2; 0 0 3 0 1 0 -0.3";
    std::vector<double> found;
    for (std::int64_t m = 0; m < 7; ++m) append(found, energies_of(with_momentum(c, {m, 0})));
    expect_spectrum(found, c);
}

TEST(Sectors, OfMomentaOutsideOfTheZoneAreRefused) {
    const LanczosConfig ring = config("ring", {8}, 1, 1, 4), tilted = single("tilted", {3, 1}, 2, 1);
    for (const std::int64_t m : {-7, 0, 7}) EXPECT_EQ(refusal_of(with_momentum(ring, {m})), "");
    EXPECT_NE(refusal_of(with_momentum(ring, {9})).find("the same momentum is 1."), std::string::npos);
    EXPECT_NE(refusal_of(with_momentum(ring, {-8})).find("the same momentum is 0."), std::string::npos);
    EXPECT_EQ(refusal_of(with_momentum(tilted, {9, 9})), "");
    EXPECT_NE(refusal_of(with_momentum(tilted, {3, 12})).find("the same momentum is 3,2."), std::string::npos);
}

/// With one spin component a row is one number, and the factors of the group multiply hops.
TEST(Sectors, OfOneSpinComponentHaveTheWholeSpectrum) {
    LanczosConfig field = spins("ring", {8}, 3);
    field.field[2] = {0.4};
    field.coupling[2] = 0.3;
    for (const LanczosConfig& c :
         {spins("ring", {6}, 3), spins("ring", {8}, 4), field, spins("square", {3, 2}, 3), spins("kagome", {2, 1}, 2),
          with_flux(spins("ring", {7}, 3), {0.9}), spins("triangular", {3, 3}, 4), single("ring", {6}, 3, 0.7),
          single("ring", {7}, 2, -1.3), single("ring", {8}, 4, 2), with_flux(single("ring", {6}, 4, 1), {1.1}),
          single("honeycomb", {2, 2}, 3, 1), single("checkerboard", {2, 2}, 3, 0.5), single("square", {3, 3}, 4, 1),
          spins("ring", {5}, 0), single("ring", {4}, 4, 1)}) {
        const Lattice lattice = make_model(c).lattice;
        std::vector<double> found;
        for (const auto& m : lattice.momenta()) append(found, energies_of(with_momentum(c, m)));
        expect_spectrum(found, c);
        found.clear();
        for (const Parity parity : {Parity::even, Parity::odd}) {
            LanczosConfig of_parity = c;
            of_parity.symmetry.parity = parity;
            if (c.lattice.flux.empty()) append(found, energies_of(of_parity));
        }
        if (c.lattice.flux.empty()) expect_spectrum(found, c);
    }
}

TEST(Sectors, OfBothSpinInversionsHaveTheWholeSpectrum) {
    LanczosConfig field = spins("square", {3, 2}, 3);
    field.field[2] = {0.7};
    field.coupling[2] = -0.4;
    for (const LanczosConfig& c :
         {spins("ring", {6}, 3), spins("ring", {8}, 4), field, spins("chain", {6}, 3), spins("honeycomb", {2, 2}, 4)}) {
        std::vector<double> found, of_momenta;
        for (const Parity sign : {Parity::even, Parity::odd}) {
            LanczosConfig one = c;
            one.symmetry.spin_inversion = sign;
            append(found, energies_of(one));
            if (c.lattice.type == "chain") continue;
            for (const auto& m : make_model(c).lattice.momenta()) {
                LanczosConfig of_momentum = with_momentum(c, m);
                of_momentum.symmetry.spin_inversion = sign;
                append(of_momenta, energies_of(of_momentum));
            }
        }
        expect_spectrum(found, c);
        if (c.lattice.type != "chain") expect_spectrum(of_momenta, c);
    }
}

/// Hops that are computed in every step are those of the tables, in the same order; ranks of several nodes have copies of the
/// vector.
TEST(Sectors, HaveTheSameBitsWhereHopsAreComputed) {
    LanczosConfig field = spins("ring", {9}, 4), inverted = spins("square", {4, 3}, 6), chain = spins("chain", {40}, 2);
    field.field[2] = {0.4};
    inverted.symmetry.spin_inversion = Parity::odd;
    chain.symmetry.parity = Parity::odd;
    for (LanczosConfig c : {with_momentum(spins("ring", {16}, 8), {0}), with_momentum(spins("ring", {20}, 3), {1}),
                            with_momentum(field, {2}), with_momentum(inverted, {2, 0}), chain,
                            with_momentum(spins("triangular", {3, 3}, 4), {1, 2}),
                            with_momentum(with_flux(spins("ring", {8}, 4), {0.9}), {3})})
        for (const Precision precision : {Precision::double_, Precision::single}) {
            c.precision = precision;
            c.tolerance = precision == Precision::single ? 1e-5 : 1e-10;
            std::vector<std::vector<double>> found;  // energy and residual
            using enum RequestedExchange;
            for (const auto& [hops, exchange] :
                 {std::pair{Hops::stored, automatic}, {Hops::computed, automatic}, {Hops::computed, rows}}) {
                c.hops = hops;
                c.exchange = exchange;
                GroundState system(plan(c), on_cpu());
                const Series series = run(system);
                found.push_back(values(system, series, "energy"));
                found.back().push_back(values(system, series, "residual")[0]);
                EXPECT_EQ(found.front(), found.back()) << c.lattice.type;
            }
        }
}

/// All angular momenta of a rotation, and both signs of a reflection, together at momentum 0; the other sectors are
/// degenerate pairs, or states that an operation moves to another momentum.
TEST(Sectors, OfAllRotationsHaveTheSpectrumOfTheMomentum) {
    for (const auto& [c, order] : {std::pair{config("square", {3, 3}, 2, 1, 4), 4},
                                   {config("tilted", {2, 1}, 2, 3, 3), 4},
                                   {config("triangular", {3, 3}, 1, 2, 5), 6},
                                   {config("honeycomb", {2, 2}, 2, 1, 4), 6},
                                   {config("honeycomb", {2, 2}, 1, 2, 3), 3},
                                   {config("checkerboard", {2, 2}, 1, 2, 3), 4},
                                   {config("square", {4, 3}, 1, 1, 4), 2}}) {
        const std::vector<double> all = energies_of(with_momentum(c, {0, 0}));
        std::vector<double> found;
        for (int number = 0; number < order; ++number) {
            LanczosConfig one = with_momentum(c, {0, 0});
            one.symmetry.rotation = {number, order};
            const std::vector<double> energies = energies_of(one);
            append(found, energies);
            if (2 * number % order != 0 || c.lattice.type == "checkerboard" || c.lattice.type == "tilted") continue;
            std::vector<double> mirrored;
            for (const Parity sign : {Parity::even, Parity::odd}) {
                one.symmetry.reflection = sign;
                append(mirrored, energies_of(one));
            }
            std::ranges::sort(mirrored);
            ASSERT_EQ(mirrored.size(), energies.size()) << c.lattice.type << " " << number;
            for (std::size_t n = 0; n < energies.size(); ++n) EXPECT_NEAR(mirrored[n], energies[n], 1e-10);
        }
        std::ranges::sort(found);
        ASSERT_EQ(found.size(), all.size()) << c.lattice.type;
        for (std::size_t n = 0; n < all.size(); ++n) EXPECT_NEAR(found[n], all[n], 1e-10) << c.lattice.type;
    }
}

/// One particle on 3 x 3 sites has k = 0 and two stars of four momenta; each star combines to one state of every
/// angular momentum.
TEST(Sectors, HaveTheAngularMomentumOfTheirParticles) {
    for (int number = 0; number < 4; ++number) {
        LanczosConfig c = config("square", {3, 3}, 1, 0, 0);
        c.symmetry.rotation = {number, 4};
        std::vector<double> found = energies_of(c), exact = {-1, 2};
        if (number == 0) exact.insert(exact.begin(), -4);
        ASSERT_EQ(found.size(), exact.size()) << number;
        for (std::size_t n = 0; n < exact.size(); ++n) EXPECT_NEAR(found[n], exact[n], 1e-11) << number;
    }
}

/// Complex hops distinguish an angular momentum from its negative; energies of the checkerboard of 8 sites with 1 + 1
/// particles from dense matrices (oracle/symmetry.py).
TEST(Sectors, TellOppositeAngularMomentaApart) {
    LanczosConfig c = config("checkerboard", {2, 2}, 1, 1, 4);
    c.lattice.phase = M_PI / 4;
    for (const auto& [number, energy] : {std::pair{0, -6.976690737346}, {1, -4.0}, {3, -7.313708498985}}) {
        c.symmetry.rotation = {number, 4};
        EXPECT_NEAR(energies_of(c)[0], energy, 1e-11) << number;
    }
}

/// One particle on a ring with flux: E = -2 cos(k - flux / L), which distinguishes k from -k.
TEST(Sectors, HaveTheMomentumOfTheirParticles) {
    for (std::int64_t m = 0; m < 5; ++m) {
        const std::vector<double> found =
            energies_of(with_momentum(with_flux(config("ring", {5}, 1, 0, 0), {0.6}), {m}));
        ASSERT_EQ(found.size(), 1u);
        EXPECT_NEAR(found[0], -2 * std::cos(2 * M_PI / 5 * static_cast<double>(m) - 0.6 / 5), 1e-12) << m;
    }
}

TEST(Sectors, OfSinglePrecisionHaveTheSameEnergies) {
    for (const std::int64_t m : {0, 1}) {
        LanczosConfig c = with_momentum(config("ring", {6}, 3, 2, 4), {m});
        const std::vector<double> exact = energies_of(c);
        c.precision = Precision::single;
        c.tolerance = 1e-5;
        GroundState system(plan(c), on_cpu());
        const Series series = run(system);
        EXPECT_NEAR(values(system, series, "energy")[0], exact[0], 1e-5);
    }
}

/// Rounding adds components outside of a sector that grow by a constant factor per step unless they are projected out:
/// otherwise energies fall below those of the sector after tens of steps.
TEST(Sectors, AreNotLeftInThousandsOfSteps) {
    for (const auto& [up, down, m] : {std::tuple{3, 2, 0}, {2, 3, 3}, {4, 2, 0}, {3, 3, 2}}) {
        LanczosConfig c = with_momentum(config("ring", {6}, up, down, 4), {m});
        const double exact = energies_of(c)[0];
        c.vectors = c.degeneracy = false;
        const LanczosPlan of_sector = plan(c);
        Timers timers;
        const auto op = on_cpu()(of_sector, timers);
        op->allocate();
        EXPECT_GT(lowest_energy(*op, 2000), exact - 1e-9) << up << "+" << down;
        for (int step = 0; step < 2000; ++step) {  // products without orthogonalisation: the shifted power method
            op->space().copy(op->w(), op->v());
            const double norm = op->space().norm(op->v());
            op->space().axpby(1 / norm, op->v(), 0, op->v(), op->v());
            const PairProducts products = op->apply(op->v());
            EXPECT_GT(products.vw / products.vv + op->offset(), exact - 1e-9) << step;
        }
    }
}

/// A pair of sites and its images may have more symmetries than the model, whose group must be used: n(k) of the lower
/// parity of an open chain, and of an angular momentum, are those of the ground state without symmetries.
TEST(Sectors, MeasureTheirDensityMatrixWithTheirOwnGroup) {
    LanczosConfig torus = config("square", {3, 3}, 5, 5, 4);
    torus.symmetry.rotation = {0, 4};
    for (LanczosConfig c : {config("chain", {4}, 1, 2, 3), config("chain", {5}, 2, 2, 4), torus}) {
        c.density_matrix = true;
        GroundState without(plan([&] {
                                LanczosConfig whole = c;
                                whole.symmetry = {};
                                return whole;
                            }()),
                            on_cpu());
        const Series expected = run(without);
        ASSERT_EQ(values(without, expected, "degeneracy")[0], 1) << "this test needs one ground state";
        std::vector<SymmetryRequest> sectors;
        for (const Parity parity : {Parity::even, Parity::odd}) sectors.push_back({Momenta::none, {}, parity});
        if (c.symmetry.any()) sectors = {c.symmetry};
        int found = 0;
        for (const SymmetryRequest& sector : sectors) {
            c.symmetry = sector;
            GroundState system(plan(c), on_cpu());
            const Series series = run(system);
            if (values(system, series, "energy")[0] > values(without, expected, "energy")[0] + 1e-9) continue;
            ++found;
            const std::vector<double> a = values(system, series, "momentum-distribution"),
                                      b = values(without, expected, "momentum-distribution");
            ASSERT_EQ(a.size(), b.size());
            for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-9) << c.lattice.type << " " << i;
        }
        EXPECT_EQ(found, 1) << c.lattice.type;
    }
}

TEST(Sectors, HaveTheSameBitsByRowsAndByTransposedPanels) {
    for (const auto& c :
         {with_momentum(config("ring", {8}, 4, 3, 4), {0}), with_momentum(config("ring", {8}, 4, 3, 4), {3}),
          with_momentum(config("square", {3, 3}, 3, 3, 4), {1, 0}), with_momentum(spins("ring", {12}, 6), {6}),
          with_momentum(spins("ring", {13}, 6), {2})}) {
        const bool one = c.components() == 1;
        const char* correlation = c.spins() ? "spin-correlation" : "density-correlation";
        expect_same_bits<GroundState>(c, {"energy", correlation});
        for (const RequestedExchange exchange : {RequestedExchange::rows, RequestedExchange::transpose}) {
            LanczosConfig other = c;
            if (one && exchange == RequestedExchange::transpose) continue;
            other.exchange = exchange;
            expect_same_bits<GroundState>(other, {"energy", correlation});
        }
    }
}

TEST(Sectors, AreRefusedWhereTheModelHasNoSymmetry) {
    LanczosConfig disorder = with_momentum(config("ring", {4}, 2, 2, 4), {0});
    disorder.potential = {0, 0, 0.5, 0};
    EXPECT_NE(refusal_of(disorder).find("changes the energy of site 1"), std::string::npos) << refusal_of(disorder);
    EXPECT_NE(refusal_of(with_momentum(config("chain", {4}, 2, 2, 4), {0})).find("the hop between sites"),
              std::string::npos);
    EXPECT_NE(refusal_of(with_momentum(config("ring", {4}, 2, 2, 4), {0, 1})).find("takes 1"), std::string::npos);
    const auto rotated = [](LanczosConfig c, Rotation rotation, Parity sign) {
        c.symmetry.rotation = rotation;
        c.symmetry.reflection = sign;
        return c;
    };
    const LanczosConfig square = with_momentum(config("square", {3, 3}, 2, 1, 4), {0, 0});
    for (const auto& [c, words] :
         {std::pair{rotated(square, {0, 6}, Parity::any), "changes the cluster"},
          {rotated(config("square", {3, 2}, 2, 1, 4), {0, 4}, Parity::any), "changes the cluster"},
          {rotated(config("tilted", {2, 1}, 2, 1, 4), {0, 1}, Parity::even), "changes the cluster"},
          {rotated(config("ring", {4}, 2, 1, 4), {0, 2}, Parity::any), "sector.rotation needs a lattice of two"},
          {rotated(with_flux(square, {0.5, 0}), {0, 2}, Parity::any), "by 2 pi / 2 changes the hop between"},
          {rotated(square, {1, 4}, Parity::odd), "sector.rotation = 1/4, sector.reflection = odd"},
          {rotated(with_momentum(square, {1, 0}), {0, 4}, Parity::any), "sector.momentum = 1,0, sector.rotation"}})
        EXPECT_NE(refusal_of(c).find(words), std::string::npos) << refusal_of(c);
}

}  // namespace
}  // namespace strata::lanczos
