// SPDX-License-Identifier: BSD-3-Clause
// Positions of the sites of a lattice against its bonds, and the plane waves on them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "lanczos/physics/plane_waves.hpp"
#include "models/lattice.hpp"
#include "strata/error.hpp"
#include "support/lattice_specs.hpp"

namespace strata::lanczos {
namespace {

/// A custom lattice with two sites per cell, at (0, 0) and (1/4, 1/2).
LatticeSpec custom(std::vector<std::int64_t> extents) {
    LatticeSpec s = lattice_spec("custom", std::move(extents));
    s.cell_bonds = "0 1 0 0 1; 1 0 1 0 1; 0 0 0 1 1";
    s.cell_positions = "0 0; 0.25 0.5";
    return s;
}

/// Shortest distance of two sites over all periodic images, with axes given here.
double distance(const Lattice& l, bool triangular, int i, int j) {
    const double bx = triangular ? 0.5 : 0, by = triangular ? std::sqrt(0.75) : 1;
    const Vector2 from = l.cartesian_position(i), to = l.cartesian_position(j);
    double shortest = 1e9;
    for (int p = -3; p <= 3; ++p)
        for (int q = -3; q <= 3; ++q) {
            double x = to[0] - from[0], y = to[1] - from[1];
            for (std::size_t t = 0; t < l.torus.size(); ++t) {
                const double times = t == 0 ? p : q;
                x += times * (static_cast<double>(l.torus[t][0]) + bx * static_cast<double>(l.torus[t][1]));
                y += times * by * static_cast<double>(l.torus[t][1]);
            }
            shortest = std::min(shortest, std::hypot(x, y));
        }
    return shortest;
}

/// The bonds of nearest neighbours join exactly the pairs at the shortest distance.
TEST(Positions, MakeAllNearestNeighboursEquallyFar) {
    struct Case {
        const char* type;
        std::vector<std::int64_t> extents;
        bool triangular;
        double length;
        std::size_t neighbours;
    };
    for (const Case& c : {Case{"ring", {6}, false, 1, 2},
                          {"square", {4, 3}, false, 1, 4},
                          {"tilted", {3, 1}, false, 1, 4},
                          {"triangular", {4, 4}, true, 1, 6},
                          {"honeycomb", {3, 3}, true, 1 / std::sqrt(3.0), 3},
                          {"kagome", {3, 3}, true, 0.5, 4},
                          {"checkerboard", {4, 3}, false, std::sqrt(0.5), 4}}) {
        const Lattice l = make_lattice(lattice_spec(c.type, c.extents));
        std::set<std::pair<int, int>> bonds, closest;
        for (const Edge& e : l.edges)
            if (e.weight != 0) bonds.insert(std::minmax(e.from, e.to));  // t', t'' of the checkerboard have weight 0
        for (int i = 0; i < l.sites; ++i)
            for (int j = i + 1; j < l.sites; ++j) {
                EXPECT_GT(distance(l, c.triangular, i, j), c.length - 1e-12) << c.type;
                if (distance(l, c.triangular, i, j) < c.length + 1e-12) closest.emplace(i, j);
            }
        EXPECT_EQ(bonds, closest) << c.type;
        EXPECT_EQ(2 * bonds.size(), c.neighbours * static_cast<std::size_t>(l.sites)) << c.type;
    }
}

/// The bonds of next-nearest neighbours join exactly the pairs at the second distance, once, with their own amplitude
/// and weight. On a chain and a ladder they end at the ends; on a cylinder they go around it.
TEST(Positions, MakeAllNextNearestNeighboursEquallyFar) {
    struct Case {
        const char* type;
        std::vector<std::int64_t> extents;
        bool triangular;
        double length;
        std::size_t bonds;
    };
    for (const Case& c : {Case{"ring", {7}, false, 2, 7},
                          {"chain", {7}, false, 2, 5},
                          {"square", {5, 4}, false, std::sqrt(2.0), 40},
                          {"tilted", {3, 2}, false, std::sqrt(2.0), 26},
                          {"triangular", {5, 5}, true, std::sqrt(3.0), 75},
                          {"honeycomb", {4, 4}, true, 1, 96},
                          {"ladder", {5, 3}, false, std::sqrt(2.0), 16},
                          {"ladder", {5, 1}, false, 2, 3},
                          {"cylinder", {5, 4}, false, std::sqrt(2.0), 32}}) {
        SCOPED_TRACE(c.type);
        LatticeSpec s = lattice_spec(c.type, c.extents);
        s.second = {0.3, 0.4};
        Lattice l = make_lattice(s);
        if (s.type == "cylinder") l.torus = {{0, 4}};
        if (s.type == "chain") l.torus = {};
        std::set<std::pair<int, int>> bonds, second;
        std::size_t edges = 0;
        for (const Edge& e : l.edges) {
            if (e.shell == Shell::first) continue;
            ++edges;
            bonds.insert(std::minmax(e.from, e.to));
            EXPECT_EQ(e.amplitude, Complex(0.3));
            EXPECT_EQ(e.weight, 0.4);
        }
        for (int i = 0; i < l.sites; ++i)
            for (int j = i + 1; j < l.sites; ++j)
                if (std::abs(distance(l, c.triangular, i, j) - c.length) < 1e-12) second.emplace(i, j);
        EXPECT_EQ(bonds, second);
        EXPECT_EQ(edges, c.bonds);
        EXPECT_EQ(bonds.size(), c.bonds);
    }
}

TEST(Positions, OfCustomCellsAreRead) {
    const Lattice l = make_lattice(custom({3, 2}));
    EXPECT_EQ(l.sublattices, 2);
    EXPECT_EQ(l.sublattice[7], 1);
    EXPECT_EQ(l.position[7], (Vector2{0.25, 1.5}));
    EXPECT_FALSE(l.positions_unknown());
    LatticeSpec s = custom({3, 2});
    s.cell_positions = "";
    EXPECT_TRUE(make_lattice(s).positions_unknown());
    EXPECT_NE(position_results(make_lattice(s), {}).front().meaning.find("corner"), std::string::npos);
    for (const char* wrong :
         {"0 0", "0 0; 1 1; 0 1", "0 0; 0.5", "0 0; a b", "0 0; 0 0 0", "0 0; nan 0", "0, 0; 0 0"}) {
        s.cell_positions = wrong;
        EXPECT_THROW(make_lattice(s), Error) << wrong;
    }
}

/// sum_j conj(w_j) v_j = 1 for equal waves and 0 otherwise; there are as many waves as sites. With several sites per
/// cell this holds for separate sublattices.
TEST(PlaneWaves, AreABasisOfTheCluster) {
    for (const LatticeSpec& s :
         {lattice_spec("ring", {7}), lattice_spec("square", {4, 3}), lattice_spec("tilted", {3, 1}),
          lattice_spec("triangular", {3, 4}), lattice_spec("honeycomb", {3, 2}), lattice_spec("kagome", {2, 2}),
          lattice_spec("checkerboard", {3, 2}), custom({3, 2}), custom({3, 1, -1, 2})})
        for (Sublattices sublattices : {Sublattices::summed, Sublattices::separate}) {
            const Lattice l = make_lattice(s);
            const std::vector<PlaneWave> waves = plane_waves(l, l.momenta(), sublattices);
            if (sublattices == Sublattices::summed && l.sublattices > 1) {
                EXPECT_EQ(waves.size(), l.momenta().size());
                continue;
            }
            ASSERT_EQ(waves.size(), static_cast<std::size_t>(l.sites)) << s.type;
            std::set<std::string> names;
            for (const PlaneWave& a : waves) {
                names.insert(intensity_column(a).name);
                for (const PlaneWave& b : waves) {
                    Complex sum = 0;
                    for (std::size_t j = 0; j < a.weight.size(); ++j) sum += std::conj(a.weight[j]) * b.weight[j];
                    EXPECT_NEAR(std::abs(sum - (&a == &b ? 1.0 : 0.0)), 0, 1e-13)
                        << s.type << intensity_column(a).name << intensity_column(b).name;
                }
            }
            EXPECT_EQ(names.size(), waves.size());
        }
}

TEST(PlaneWaves, AreNamedAndOrdered) {
    const Lattice l = make_lattice(lattice_spec("honeycomb", {3, 2}));
    const std::vector<PlaneWave> separate = plane_waves(l, {{2, 1}, {0, 1}}, Sublattices::separate);
    ASSERT_EQ(separate.size(), 4u);
    EXPECT_EQ(intensity_column(separate[1]).name, "momentum-2-1-sublattice-1");
    EXPECT_EQ(intensity_column(separate[2]).name, "momentum-0-1-sublattice-0");
    EXPECT_EQ(separate[1].sublattice, 1);
    EXPECT_EQ(separate[1].weight[0], 0.0);
    EXPECT_EQ(intensity_column(plane_waves(l, {{2, 1}}, Sublattices::summed)[0]).name, "momentum-2-1");
    EXPECT_EQ(
        intensity_column(plane_waves(make_lattice(lattice_spec("ring", {5})), {{3}}, Sublattices::summed)[0]).name,
        "momentum-3");
}

/// Compares with e^(-i k r) / sqrt(N) for the printed Cartesian positions.
TEST(PlaneWaves, HaveThePhasesOfTheToldPositions) {
    for (const LatticeSpec& s :
         {lattice_spec("ring", {7}), lattice_spec("tilted", {3, 1}), lattice_spec("honeycomb", {3, 2}),
          lattice_spec("kagome", {2, 3}), lattice_spec("checkerboard", {3, 2}), custom({3, 1, -1, 2})}) {
        const Lattice l = make_lattice(s);
        const std::vector<Quantity> told = position_results(l, l.momenta());
        const std::size_t d = l.torus.size();
        ASSERT_EQ(told.size(), 2 * d);
        EXPECT_EQ(told[0].name, "site-x");
        EXPECT_EQ(told[d].name, "wave-vector-x");
        const std::vector<PlaneWave> waves = plane_waves(l, l.momenta(), Sublattices::summed);
        for (std::size_t k = 0; k < waves.size(); ++k)
            for (std::size_t j = 0; j < waves[k].weight.size(); ++j) {
                double angle = 0;
                for (std::size_t axis = 0; axis < d; ++axis) angle += told[d + axis].value[k] * told[axis].value[j];
                EXPECT_NEAR(std::abs(waves[k].weight[j] - std::polar(1 / std::sqrt(l.sites), -angle)), 0, 1e-13);
            }
    }
}

}  // namespace
}  // namespace strata::lanczos
