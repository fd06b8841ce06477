// SPDX-License-Identifier: BSD-3-Clause
// Bases, lattices and small eigenvalue problems of the Lanczos application.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>
#include <set>

#include "kernels/lanczos/start_vector.hpp"
#include "krylov/tridiagonal.hpp"
#include "lanczos/physics/bit_strings.hpp"
#include "models/lattice.hpp"
#include "strata/error.hpp"
#include "support/lattice_specs.hpp"

namespace strata::lanczos {
namespace {

TEST(BitStrings, NumbersFollowTheStringsInOrder) {
    for (int sites : {1, 2, 5, 9})
        for (int particles = 0; particles <= sites; ++particles) {
            const BitStrings c(sites, particles);
            std::uint64_t expected = 0;
            for (std::uint64_t s = 0; s < std::uint64_t{1} << sites; ++s) {
                if (__builtin_popcountll(s) != particles) continue;
                EXPECT_EQ(c.index_of(s), expected);
                EXPECT_EQ(c.occupation(expected++), s);
            }
            EXPECT_EQ(c.count(), expected);
        }
    const BitStrings wide(64, 3);
    EXPECT_EQ(wide.count(), 41664u);
    EXPECT_EQ(wide.occupation(41663), std::uint64_t{7} << 61);
    EXPECT_EQ(BitStrings(64, 64).occupation(0), ~std::uint64_t{0});
    EXPECT_EQ(BitStrings::next(0b0110), 0b1001u);
}

TEST(Lattices, HaveTheRightSitesEdgesAndDoubleEdges) {
    struct Case {
        const char* type;
        std::vector<std::int64_t> extents;
        int sites;
        std::size_t edges;
        int doubled;
    };
    for (const Case& c : {Case{"ring", {12}, 12, 12, 0},
                          {"ring", {2}, 2, 2, 1},
                          {"chain", {6}, 6, 5, 0},
                          {"square", {4, 4}, 16, 32, 0},
                          {"square", {4, 2}, 8, 16, 4},
                          {"tilted", {2, 2}, 8, 16, 0},
                          {"tilted", {3, 1}, 10, 20, 0},
                          {"triangular", {3, 3}, 9, 27, 0},
                          {"honeycomb", {2, 2}, 8, 12, 0},
                          {"kagome", {2, 2}, 12, 24, 0},
                          {"checkerboard", {3, 3}, 18, 108, 0},
                          {"checkerboard", {5, 3}, 30, 180, 0},
                          {"checkerboard", {2, 2}, 8, 48, 12},
                          {"checkerboard", {3, 2}, 12, 72, 18}}) {
        const Lattice l = make_lattice(lattice_spec(c.type, c.extents));
        EXPECT_EQ(l.sites, c.sites) << c.type;
        EXPECT_EQ(l.edges.size(), c.edges) << c.type;
        EXPECT_EQ(l.double_edges, c.doubled) << c.type << " " << c.extents[0];
        std::vector<int> degree(static_cast<std::size_t>(l.sites));
        for (const Edge& e : l.edges)
            ++degree[static_cast<std::size_t>(e.from)], ++degree[static_cast<std::size_t>(e.to)];
        if (std::string(c.type) != "chain") {
            EXPECT_EQ(std::set<int>(degree.begin(), degree.end()).size(), 1u) << c.type << ": all sites are alike";
        }
    }
    LatticeSpec custom = lattice_spec("custom", {3, 1, -1, 3});  // the tilted lattice of 10 sites as a custom lattice
    custom.cell_bonds = "0 0 1 0 1; 0 0 0 1 1";
    const Lattice same = make_lattice(custom), tilted = make_lattice(lattice_spec("tilted", {3, 1}));
    ASSERT_EQ(same.edges.size(), tilted.edges.size());
    for (std::size_t i = 0; i < same.edges.size(); ++i) {
        EXPECT_EQ(same.edges[i].from, tilted.edges[i].from);
        EXPECT_EQ(same.edges[i].to, tilted.edges[i].to);
    }
    custom.cell_bonds = "0 1 0 1";
    EXPECT_THROW(make_lattice(custom), Error);
    EXPECT_THROW(make_lattice(lattice_spec("ring", {1})), Error);
    EXPECT_THROW(make_lattice(lattice_spec("square", {9, 8})), Error);
    EXPECT_THROW(make_lattice(lattice_spec("square", {4})), Error);
}

/// The default weight is 1 or, if the edges are an exchange, the amplitude before any flux.
TEST(Lattices, WeightsOfBondsAndEdges) {
    constexpr auto one = DefaultWeight::one, amplitude = DefaultWeight::amplitude;
    const auto edge = [](const char* text, DefaultWeight rule, double t = 1) {
        LatticeSpec file;
        file.type = "file";
        file.file = {"f", text};
        file.default_weight = rule;
        file.t = {t};
        return make_lattice(file).edges.at(0);
    };
    for (const DefaultWeight rule : {one, amplitude}) {
        EXPECT_EQ(edge("0 1 0.5 0.25 3\r\n", rule).amplitude, Complex(0.5, 0.25));
        EXPECT_EQ(edge("# comment\n\n0 1 0.5 0.25 3", rule).weight, 3);
        EXPECT_EQ(edge("0 1 +0.5", rule).weight, rule == one ? 1 : 0.5);
        EXPECT_EQ(edge("0 1 -2 0", rule).weight, rule == one ? 1 : -2);
        for (const char* bad :
             {"", "0", "0 0", "0 1 x", "0 1 1 -", "0 1 1 1e", "0 1 1 0 1 1", "0 1 nan", "-1 1 1", "0 64 1"})
            EXPECT_THROW(edge(bad, rule), Error) << bad;
    }
    EXPECT_EQ(edge("0 1 0.5 0.25", one).weight, 1);
    EXPECT_EQ(edge("0 1", amplitude, -0.7).amplitude, -0.7);
    EXPECT_EQ(edge("0 1 2 1 3", one, -0.7).amplitude, Complex(-1.4, -0.7));
    EXPECT_EQ(edge("0 1 2 1 3", one, -0.7).weight, 3);
    EXPECT_THROW(edge("0 1 0.5 0.25", amplitude), Error);
    LatticeSpec custom = lattice_spec("custom", {3, 3});
    custom.cell_bonds = "0 0 1 0 0.5; 0 0 0 1 1 0 2";
    custom.flux = {0.7, 0.3};
    custom.default_weight = amplitude;
    for (const Edge& e : make_lattice(custom).edges) EXPECT_EQ(e.weight, std::abs(e.amplitude) < 0.75 ? 0.5 : 2);
    custom.cell_bonds = "0 0 1 0 0.5 0.1";
    EXPECT_THROW(make_lattice(custom), Error);
}

/// There are as many wave vectors as cells; their plane waves are orthogonal and periodic on the torus.
TEST(Lattices, HaveTheirWaveVectors) {
    for (const LatticeSpec& lattice :
         {lattice_spec("ring", {7}), lattice_spec("square", {4, 3}), lattice_spec("tilted", {3, 1}),
          lattice_spec("kagome", {2, 2}), lattice_spec("tilted", {2, 2})}) {
        const Lattice l = make_lattice(lattice);
        const auto momenta = l.momenta();
        std::set<std::array<std::int64_t, 2>> cells(l.cell.begin(), l.cell.end());
        EXPECT_EQ(momenta.size(), cells.size());
        for (const auto& a : momenta)
            for (const auto& b : momenta) {
                Complex sum = 0;
                for (int i = 0; i < l.sites; ++i) sum += std::polar(1.0, l.phase(a, i) - l.phase(b, i));
                EXPECT_NEAR(std::abs(sum), a == b ? l.sites : 0, 1e-11) << lattice.type;
            }
    }
}

/// Moments of a normal distribution within 4 sigma, and the two series against the C++ library.
TEST(StartVector, HasNormalNumbers) {
    for (const double u : {0x1p-53, 1e-9, 0.1, 0.5, 0.70710678, 0.9, 1.0}) {
        EXPECT_NEAR(logarithm(u), std::log(u), 1e-15 * (1 + std::abs(std::log(u)))) << u;
        EXPECT_NEAR(cosine_of_turns(u), std::cos(2 * std::numbers::pi * u), 1e-15) << u;
    }
    constexpr int count = 200000;
    double moments[4] = {};
    for (int i = 0; i < count; ++i) {
        const double x = start_number({7, 0, 3, Distribution::normal}, static_cast<std::uint64_t>(i / 100),
                                      static_cast<std::uint64_t>(i % 100));
        for (int k = 0; k < 4; ++k) moments[k] += std::pow(x, k + 1) / count;
    }
    const double exact[] = {0, 1, 0, 3}, variance[] = {1, 2, 15, 96};
    for (int k = 0; k < 4; ++k) EXPECT_NEAR(moments[k], exact[k], 4 * std::sqrt(variance[k] / count)) << k + 1;
}

TEST(Hermitian, PairsSolveTheMatrix) {
    const std::size_t n = 5;
    std::vector<Complex> a(n * n);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j <= i; ++j) {
            a[i * n + j] =
                i == j ? Complex(static_cast<double>(i * i))
                       : Complex(std::sin(1.0 + static_cast<double>(i)), std::cos(2.0 * static_cast<double>(j)));
            a[j * n + i] = std::conj(a[i * n + j]);
        }
    // column-major: a[column * n + row]
    const krylov::DensePairs pairs = krylov::hermitian_pairs(n, a);
    for (std::size_t k = 0; k < n; ++k)
        for (std::size_t row = 0; row < n; ++row) {
            Complex sum = 0;
            for (std::size_t column = 0; column < n; ++column)
                sum += a[column * n + row] * pairs.vectors[k * n + column];
            EXPECT_NEAR(std::abs(sum - pairs.values[k] * pairs.vectors[k * n + row]), 0, 1e-13);
        }
}

TEST(Tridiagonal, LowestPairOfTheOpenChain) {
    const std::vector<double> diagonal(9, 0.0), off(9, -1.0);
    const krylov::RitzPair pair = krylov::lowest_pair(diagonal, off);
    EXPECT_NEAR(pair.value, -2 * std::cos(M_PI / 10), 1e-14);
    for (int i = 0; i < 9; ++i)
        EXPECT_NEAR(std::abs(pair.vector[static_cast<std::size_t>(i)]), std::sqrt(0.2) * std::sin(M_PI * (i + 1) / 10),
                    1e-13);
    EXPECT_EQ(krylov::lowest_pair(std::vector<double>{4.0}, {}).value, 4);
    for (const double wrong : {NAN, INFINITY}) {
        const std::vector<double> right(3, 0.5), not_finite = {0.5, wrong, 0.5};
        EXPECT_THROW(krylov::lowest_pair(not_finite, right), Error);
        EXPECT_THROW(krylov::lowest_pair(right, std::vector<double>{0.25, wrong}), Error);
        EXPECT_THROW(krylov::lowest_pair(std::vector<double>{wrong}, {}), Error);
    }
}

/// Against all eigenpairs by LAPACK: random matrices, some with couplings of 0 or very small ones, so that the lowest
/// eigenvalue is double or nearly so, of any scale.
TEST(Tridiagonal, LowestPairOfRandomMatrices) {
    std::mt19937_64 random(7);
    std::uniform_real_distribution<double> number(-1, 1);
    for (int i = 0; i < 400; ++i) {
        const std::size_t n = 1 + random() % 60;
        const double scale = std::exp(20 * number(random));
        std::vector<double> d(n), e(n);
        for (double& x : d) x = i % 4 == 3 ? scale : scale * number(random);
        for (double& x : e)
            x = scale * number(random) * (i % 4 == 1 ? std::pow(10, -16 * std::abs(number(random))) : 1) *
                (i % 4 >= 2 && random() % 4 == 0 ? 0 : 1);
        const krylov::RitzPair pair = krylov::lowest_pair(d, e);
        EXPECT_NEAR(pair.value, krylov::all_pairs(d, e).values[0], 1e-14 * scale) << n;
        double square = 0;
        for (std::size_t k = 0; k < n; ++k) {
            const double before = k == 0 ? 0 : e[k - 1] * pair.vector[k - 1],
                         after = k + 1 == n ? 0 : e[k] * pair.vector[k + 1];
            EXPECT_NEAR((d[k] - pair.value) * pair.vector[k] + before + after, 0, 1e-14 * scale) << n;
            square += pair.vector[k] * pair.vector[k];
        }
        EXPECT_NEAR(square, 1, 1e-13);
    }
}

/// The rule of n steps has the requested node and the moments (T^k)_11 up to k = 2 n, for any continuation of T.
TEST(Tridiagonal, RadauRuleHasItsNodeAndTheMoments) {
    const std::vector<double> alpha = {0.3, -0.5, 1.1, 0.2}, beta = {0.9, 0.4, 0.7, 0.6};
    const double lowest = -2.5;
    const krylov::Quadrature rule = krylov::gauss_radau_rule(alpha, beta, lowest);
    ASSERT_EQ(rule.nodes.size(), 5u);
    EXPECT_NEAR(rule.nodes[0], lowest, 1e-13);
    const double diagonal[] = {0.3, -0.5, 1.1, 0.2, 7};
    std::vector<double> x = {1, 0, 0, 0, 0};  // T^k e_1
    for (int k = 0; k <= 8; ++k) {
        double moment = 0;
        for (std::size_t i = 0; i < 5; ++i) moment += rule.weights[i] * std::pow(rule.nodes[i], k);
        EXPECT_NEAR(moment, x[0], 1e-11 * std::pow(2.5, k)) << k;
        std::vector<double> next(5);
        for (std::size_t i = 0; i < 5; ++i)
            next[i] = diagonal[i] * x[i] + (i > 0 ? beta[i - 1] * x[i - 1] : 0) + (i < 4 ? beta[i] * x[i + 1] : 0);
        x = next;
    }
}

/// <y| T^k |e_1> of the mixed weights, for as many k as do not reach what follows the last step.
TEST(Tridiagonal, RulesOfOtherVectorsHaveTheirMoments) {
    const std::vector<double> alpha = {0.3, -0.5, 1.1, 0.2}, beta = {0.9, 0.4, 0.7, 0.6}, y = {0.4, -1.2, 0.7, 0.1};
    const krylov::Quadrature gauss = krylov::gauss_rule(alpha, std::span(beta).first(3), {y}),
                             radau = krylov::gauss_radau_rule(alpha, beta, -2.5, {y});
    std::vector<double> x = {1, 0, 0, 0};  // T^k e_1 in the first four components
    for (int k = 0; k <= 4; ++k) {
        double exact = 0;
        for (std::size_t i = 0; i < 4; ++i) exact += y[i] * x[i];
        for (const krylov::Quadrature& rule : {gauss, radau}) {
            double moment = 0;
            for (std::size_t i = 0; i < rule.nodes.size(); ++i) moment += rule.mixed[0][i] * std::pow(rule.nodes[i], k);
            EXPECT_NEAR(moment, exact, 1e-12 * std::pow(2.5, k)) << rule.nodes.size() << " nodes, k = " << k;
        }
        std::vector<double> next(4);
        for (std::size_t i = 0; i < 4; ++i)
            next[i] = alpha[i] * x[i] + (i > 0 ? beta[i - 1] * x[i - 1] : 0) + (i < 3 ? beta[i] * x[i + 1] : 0);
        x = next;
    }
}

}  // namespace
}  // namespace strata::lanczos
