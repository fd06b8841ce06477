// SPDX-License-Identifier: BSD-3-Clause
// Fields and couplings of every kind of lattice against pairs that are listed or computed here.
#include "trotter/physics/hamiltonian.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <fstream>
#include <map>

#include "models/lattice.hpp"
#include "support/trotter_jobs.hpp"

namespace strata::trotter {
namespace {

using Pairs = std::map<std::pair<int, int>, double>;

std::string lattice(const std::string& type, const std::string& extents) {
    return "[lattice]\ntype = " + type + "\nextents = " + extents + "\n";
}

const std::string xyz = "[model]\njx = 1\njy = 0.5\njz = -2\n";

/// All couplings of an axis that are not zero.
Pairs pairs(const SpinHamiltonian& h, Axis axis) {
    Pairs found;
    for (int k = 0; k < h.spins; ++k)
        for (int j = 0; j < k; ++j)
            if (const double value = h[axis].coupling[pair_index(j, k)]; value != 0) found[{j, k}] = value;
    return found;
}

Pairs times(double factor, Pairs pairs) {
    for (auto& [pair, value] : pairs) value *= factor;
    return pairs;
}

/// Adds a coupling 1 of two spins in any order.
void join(Pairs& pairs, int a, int b) { pairs[{std::min(a, b), std::max(a, b)}] += 1; }

void expect_xyz(const std::string& lattice_text, int spins, const Pairs& expected) {
    const SpinHamiltonian h = make_hamiltonian(trotter_job(lattice_text + xyz));
    EXPECT_EQ(h.spins, spins) << lattice_text;
    EXPECT_EQ(pairs(h, Axis::x), expected) << lattice_text;
    EXPECT_EQ(pairs(h, Axis::y), times(0.5, expected)) << lattice_text;
    EXPECT_EQ(pairs(h, Axis::z), times(-2, expected)) << lattice_text;
}

TEST(TrotterHamiltonian, NumbersPairs) {
    std::size_t expected = 0;
    for (int k = 0; k < max_spins; ++k)
        for (int j = 0; j < k; ++j) EXPECT_EQ(pair_index(j, k), expected++);
    EXPECT_EQ(pair_count(max_spins), expected);
}

TEST(TrotterHamiltonian, OfRingAndChain) {
    expect_xyz(lattice("ring", "5"), 5, {{{0, 1}, 1}, {{1, 2}, 1}, {{2, 3}, 1}, {{3, 4}, 1}, {{0, 4}, 1}});
    expect_xyz(lattice("chain", "4"), 4, {{{0, 1}, 1}, {{1, 2}, 1}, {{2, 3}, 1}});
}

/// On a ring of two sites two bonds join the same spins.
TEST(TrotterHamiltonian, AddsBondsOfThePairsThatATorusJoinsTwice) {
    expect_xyz(lattice("ring", "2"), 2, {{{0, 1}, 2}});
    EXPECT_EQ(make_hamiltonian(trotter_job(lattice("ring", "2") + xyz)).double_pairs, 1);
    EXPECT_EQ(make_hamiltonian(trotter_job(lattice("ring", "3") + xyz)).double_pairs, 0);
    EXPECT_EQ(make_hamiltonian(trotter_job(lattice("square", "2,3") + xyz)).double_pairs, 3);
    // the longer hops of the checkerboard, which are doubled or return to their site on these tori, are no bonds
    EXPECT_EQ(make_hamiltonian(trotter_job(lattice("checkerboard", "4,2") + xyz)).double_pairs, 0);
    EXPECT_EQ(make_hamiltonian(trotter_job(lattice("checkerboard", "1,3") + xyz)).double_pairs, 6);
}

TEST(TrotterHamiltonian, OfSquareAndTriangularLattice) {
    Pairs square, triangular;
    const auto site = [](int x, int y, int width, int height) {
        return (x + width) % width + width * ((y + height) % height);
    };
    for (int y = 0; y < 3; ++y)
        for (int x = 0; x < 4; ++x) {
            const int here = site(x, y, 4, 3);
            for (Pairs* p : {&square, &triangular}) {
                join(*p, here, site(x + 1, y, 4, 3));
                join(*p, here, site(x, y + 1, 4, 3));
            }
            join(triangular, here, site(x + 1, y - 1, 4, 3));
        }
    expect_xyz(lattice("square", "4,3"), 12, square);
    expect_xyz(lattice("triangular", "4,3"), 12, triangular);
}

/// The torus (2,1), (-1,2) has five sites, each a neighbour of the four others.
TEST(TrotterHamiltonian, OfTiltedSquare) {
    Pairs complete;
    for (int k = 0; k < 5; ++k)
        for (int j = 0; j < k; ++j) join(complete, j, k);
    expect_xyz(lattice("tilted", "2,1"), 5, complete);
}

TEST(TrotterHamiltonian, OfLatticesWithSeveralSitesInACell) {
    Pairs honeycomb, kagome, checkerboard;
    const auto cell = [](int x, int y) { return (x + 3) % 3 + 3 * ((y + 3) % 3); };
    for (int y = 0; y < 3; ++y)
        for (int x = 0; x < 3; ++x) {
            const int c = cell(x, y), left = cell(x - 1, y), below = cell(x, y - 1);
            for (const int b : {c, left, below}) join(honeycomb, 2 * c, 2 * b + 1);
            for (const int b : {c, left, below, cell(x - 1, y - 1)}) join(checkerboard, 2 * c, 2 * b + 1);
            // sites at 0, half of the first, half of the second axis: triangles upwards and downwards
            join(kagome, 3 * c, 3 * c + 1), join(kagome, 3 * c, 3 * c + 2), join(kagome, 3 * c + 1, 3 * c + 2);
            join(kagome, 3 * c, 3 * left + 1), join(kagome, 3 * c, 3 * below + 2);
            join(kagome, 3 * cell(x + 1, y - 1) + 2, 3 * c + 1);
        }
    expect_xyz(lattice("honeycomb", "3,3"), 18, honeycomb);
    expect_xyz(lattice("checkerboard", "3,3"), 18, checkerboard);
    expect_xyz(lattice("kagome", "3,3"), 27, kagome);
}

/// A zig-zag chain: first neighbours have 3 times the couplings; second neighbours have 1/2 of J^x and J^y and 1/4 of
/// J^z.
TEST(TrotterHamiltonian, OfCustomCells) {
    const SpinHamiltonian h =
        make_hamiltonian(trotter_job(lattice("custom", "5,1") + "cell-bonds = 0 0 1 0 3; 0 0 2 0 0.5 0 0.25\n" + xyz));
    for (int j = 0; j < 5; ++j) {
        const auto at = [&](Axis a, int d) {
            const int k = (j + d) % 5;
            return h[a].coupling[pair_index(std::min(j, k), std::max(j, k))];
        };
        EXPECT_EQ(at(Axis::x, 1), 3);
        EXPECT_EQ(at(Axis::y, 1), 1.5);
        EXPECT_EQ(at(Axis::z, 1), -6);
        EXPECT_EQ(at(Axis::x, 2), 0.5);
        EXPECT_EQ(at(Axis::y, 2), 0.25);
        EXPECT_EQ(at(Axis::z, 2), -0.5);
    }
}

TEST(TrotterHamiltonian, OfAllPairsByAPowerLaw) {
    const SpinHamiltonian equal = make_hamiltonian(trotter_job(lattice("all", "6") + xyz)),
                          chain = make_hamiltonian(trotter_job(lattice("all", "6") + xyz + "range = 1.5\n")),
                          ring = make_hamiltonian(
                              trotter_job(lattice("all", "6") + "geometry = ring\n" + xyz + "range = 1.5\n")),
                          square = make_hamiltonian(
                              trotter_job(lattice("all", "4,5") + "geometry = square\n" + xyz + "range = 3\n"));
    for (int k = 0; k < 6; ++k)
        for (int j = 0; j < k; ++j) {
            const std::size_t pair = pair_index(j, k);
            EXPECT_EQ(equal[Axis::x].coupling[pair], 1);
            EXPECT_NEAR(chain[Axis::y].coupling[pair], 0.5 * std::pow(k - j, -1.5), 1e-15);
            EXPECT_NEAR(ring[Axis::z].coupling[pair], -2 * std::pow(std::min(k - j, 6 + j - k), -1.5), 1e-15);
        }
    // sites (0, 0) and (3, 3) are one and two steps apart around the torus of 4 x 5
    EXPECT_NEAR(square[Axis::x].coupling[pair_index(0, 15)], std::pow(5, -1.5), 1e-15);
}

/// The ten sites of the torus (3, 1), (-1, 3) lie on one row; the neighbours of site 0 are sites 1 and 9 in the row and
/// sites 3 and 7 above and below. On a thin triangular torus the nearest image can be two periods away.
TEST(TrotterHamiltonian, FindsTheNearestImagesOfSkewedTori) {
    const auto distance = [](const std::string& job, int k) {
        const SpinHamiltonian h = make_hamiltonian(trotter_job(job + xyz + "range = 1\n"));
        return 1 / h[Axis::x].coupling[pair_index(0, k)];
    };
    const std::string tilted = lattice("all", "3,1") + "geometry = tilted\n",
                      thin = lattice("all", "2,15") + "geometry = triangular\n";
    for (const int k : {1, 3, 7, 9}) EXPECT_NEAR(distance(tilted, k), 1, 1e-14) << k;
    for (const int k : {2, 4, 6, 8}) EXPECT_NEAR(distance(tilted, k), std::sqrt(2), 1e-14) << k;
    EXPECT_NEAR(distance(tilted, 5), std::sqrt(5), 1e-14);
    for (const int y : {1, 14}) EXPECT_NEAR(distance(thin, 2 * y), 1, 1e-14) << y;
    for (const int y : {2, 3, 4, 5, 6, 7, 8, 9}) {  // rows are sqrt(3)/2 apart and shifted by y/2 modulo 2
        const double up = std::hypot(std::abs(std::remainder(0.5 * y, 2)), y * std::sqrt(0.75)),
                     down = std::hypot(std::abs(std::remainder(0.5 * (15 - y), 2)), (15 - y) * std::sqrt(0.75));
        EXPECT_NEAR(distance(thin, 2 * y), std::min(up, down), 1e-13) << y;
    }
}

/// The mean of (1 - 3 cos^2) / r^3 over the nearest images of a pair, searched within 24 periods.
double dipolar_mean(const Lattice& torus, int j, int k, const Vector2& direction) {
    const Vector2 from = torus.cartesian_position(j), to = torus.cartesian_position(k);
    const auto period = [&](std::size_t i, std::size_t x) {
        const auto& cells = torus.torus[i];
        return static_cast<double>(cells[0]) * torus.axes[0][x] + static_cast<double>(cells[1]) * torus.axes[1][x];
    };
    double nearest = 1e9, sum = 0, images = 0;
    for (int p = -24; p <= 24; ++p)
        for (int q = torus.torus.size() > 1 ? -24 : 0; q <= (torus.torus.size() > 1 ? 24 : 0); ++q) {
            Vector2 r{};
            for (std::size_t x = 0; x < 2; ++x)
                r[x] = to[x] - from[x] + p * period(0, x) + (q == 0 ? 0 : q * period(1, x));
            const double length = std::hypot(r[0], r[1]), along = r[0] * direction[0] + r[1] * direction[1];
            if (length > nearest * (1 + 1e-9)) continue;
            if (length < nearest * (1 - 1e-9)) nearest = length, sum = images = 0;
            sum += (1 - 3 * along * along / (length * length)) / (length * length * length);
            ++images;
        }
    return sum / images;
}

TEST(TrotterHamiltonian, OfDipolesOnAllSmallTori) {
    const Vector2 direction = {0.8, 0.6};
    for (const char* geometry : {"ring", "square", "tilted", "triangular", "honeycomb", "kagome"})
        for (int a = 1; a <= 20; ++a)
            for (int b = 0; b <= (geometry == std::string("ring") ? 0 : 20); ++b) {
                const int basis = geometry[0] == 'h' ? 2 : geometry[0] == 'k' ? 3 : 1;
                const int spins = geometry[0] == 't' && geometry[1] == 'i' ? a * a + b * b : basis * a * std::max(b, 1);
                if (spins > 20 || (b == 0 && geometry[0] != 'r' && geometry[1] != 'i')) continue;
                const std::string extents = std::to_string(a) + (geometry[0] == 'r' ? "" : "," + std::to_string(b));
                SCOPED_TRACE(geometry + (" " + extents));
                LatticeSpec spec;
                spec.type = geometry;
                spec.extents = {a};
                if (geometry[0] != 'r') spec.extents.push_back(b);
                const ReadJob job = read_job(lattice("all", extents) + "geometry = " + geometry +
                                             "\n[model]\ntype = dipolar\ndirection = 0.8,0.6,0\n");
                if (!job.errors.empty()) continue;  // a site would be its own neighbour
                const SpinHamiltonian h = make_hamiltonian(resolve_config(job.valid()));
                const Lattice torus = make_lattice(spec);
                ASSERT_EQ(h.spins, spins);
                for (int k = 0; k < spins; ++k)
                    for (int j = 0; j < k; ++j)
                        ASSERT_NEAR(-h[Axis::x].coupling[pair_index(j, k)], dipolar_mean(torus, j, k, direction), 1e-12)
                            << j << " " << k;
            }
}

/// The mean of 1 - 3 cos^2 over all nearest images makes the couplings a function of the displacement alone.
TEST(TrotterHamiltonian, OfDipolesOnATorus) {
    const SpinHamiltonian h = make_hamiltonian(
        trotter_job(lattice("all", "4,4") + "geometry = square\n[model]\ntype = dipolar\ndirection = 1,0.7,0.3\n"));
    const double norm = 1 + 0.49 + 0.09;
    const auto one = [&](double x, double y) {
        const double r = std::hypot(x, y), along = x + 0.7 * y;
        return 2 * (1 - 3 * along * along / (r * r * norm)) / (r * r * r);
    };
    for (int k = 0; k < 16; ++k)
        for (int j = 0; j < k; ++j) {
            const int x = (k % 4 - j % 4 + 4) % 4, y = (k / 4 - j / 4 + 4) % 4;
            double mean = 0;
            const std::vector<int> xs = x == 2 ? std::vector{2, -2} : std::vector{x == 3 ? -1 : x},
                                   ys = y == 2 ? std::vector{2, -2} : std::vector{y == 3 ? -1 : y};
            for (const int dx : xs)
                for (const int dy : ys) mean += one(dx, dy) / static_cast<double>(xs.size() * ys.size());
            EXPECT_NEAR(h[Axis::z].coupling[pair_index(j, k)], mean, 1e-14) << j << " " << k;
        }
}

/// Couplings d (2 zz - xx - yy), d = (1 - 3 cos^2) / r^3, in a field along z, then along (1, 1, 0).
TEST(TrotterHamiltonian, OfDipolesAtPositions) {
    const std::string path = written("# x y z\n0 0 0\n0 0 2\n1 1 0 # corner\n");
    const std::string job =
        "[lattice]\ntype = all\ngeometry = positions\npositions = " + path + "\n[model]\ntype = dipolar\nj = 3\n";
    const SpinHamiltonian along_z = make_hamiltonian(trotter_job(job)),
                          along_diagonal = make_hamiltonian(trotter_job(job + "direction = 2,2,0\n"));
    const auto expect = [](const SpinHamiltonian& h, int j, int k, double d) {
        EXPECT_NEAR(h[Axis::x].coupling[pair_index(j, k)], -3 * d, 1e-14);
        EXPECT_NEAR(h[Axis::y].coupling[pair_index(j, k)], -3 * d, 1e-14);
        EXPECT_NEAR(h[Axis::z].coupling[pair_index(j, k)], 6 * d, 1e-14);
    };
    expect(along_z, 0, 1, -2.0 / 8);
    expect(along_z, 0, 2, std::pow(2, -1.5));
    expect(along_z, 1, 2, (1 - 3 * 4.0 / 6) * std::pow(6, -1.5));
    expect(along_diagonal, 0, 1, 1.0 / 8);
    expect(along_diagonal, 0, 2, -2 * std::pow(2, -1.5));
    expect(along_diagonal, 1, 2, (1 - 3 * 2.0 / 6) * std::pow(6, -1.5));
}

TEST(TrotterHamiltonian, OfEdgesInAFile) {
    const std::string path = written("# edges\n0 2 2 0 3\n3 1 -1\n1 2\n2 0 0.5 0 0\n");
    const SpinHamiltonian h = make_hamiltonian(trotter_job("[lattice]\ntype = file\nfile = " + path + "\n" + xyz));
    EXPECT_EQ(h.spins, 4);
    EXPECT_EQ(h.double_pairs, 1);
    EXPECT_EQ(pairs(h, Axis::x), (Pairs{{{0, 2}, 2.5}, {{1, 3}, -1}, {{1, 2}, 1}}));
    EXPECT_EQ(pairs(h, Axis::y), (Pairs{{{0, 2}, 1.25}, {{1, 3}, -0.5}, {{1, 2}, 0.5}}));
    EXPECT_EQ(pairs(h, Axis::z), (Pairs{{{0, 2}, -6}, {{1, 3}, 2}, {{1, 2}, -2}}));
}

TEST(TrotterHamiltonian, OfTermsOfAFile) {
    const SpinHamiltonian alone = make_hamiltonian(
        trotter_job("[model]\nterms = " + written("0.5 Sx 0\n-1 Sy 1 Sy 2\n1.5 Sz 5 Sz 0\n0 Sz 4\n0 Sx 3\n") + "\n"));
    EXPECT_EQ(alone.spins, 6);
    EXPECT_EQ(alone[Axis::x].field, (std::vector<double>{0.5, 0, 0, 0, 0, 0}));
    EXPECT_EQ(pairs(alone, Axis::x), Pairs());
    EXPECT_EQ(pairs(alone, Axis::y), (Pairs{{{1, 2}, -1}}));
    EXPECT_EQ(pairs(alone, Axis::z), (Pairs{{{0, 5}, 1.5}}));
    const SpinHamiltonian added = make_hamiltonian(
        trotter_job(lattice("chain", "2") + xyz + "field-x = 1\nterms = " + written("0.5 Sx 0\n1 Sz 0 Sz 1\n") + "\n"));
    EXPECT_EQ(added[Axis::x].field, (std::vector<double>{1.5, 1}));
    EXPECT_EQ(pairs(added, Axis::z), (Pairs{{{0, 1}, -1}}));
    EXPECT_EQ(pairs(added, Axis::x), (Pairs{{{0, 1}, 1}}));
}

TEST(TrotterHamiltonian, OfNamedModels) {
    const auto couplings = [](const std::string& model) {
        const SpinHamiltonian h = make_hamiltonian(trotter_job(lattice("chain", "2") + "[model]\n" + model));
        return std::vector<double>{h[Axis::x].coupling[0], h[Axis::y].coupling[0], h[Axis::z].coupling[0]};
    };
    EXPECT_EQ(couplings("type = heisenberg\nj = 2\n"), (std::vector<double>{2, 2, 2}));
    EXPECT_EQ(couplings("type = xx\nj = 2\n"), (std::vector<double>{2, 2, 0}));
    EXPECT_EQ(couplings("type = ising\njz = 2\nfield-x = 1\n"), (std::vector<double>{0, 0, 2}));
    EXPECT_EQ(couplings("type = double-quantum\n"), (std::vector<double>{1, -1, 0}));
}

TEST(TrotterHamiltonian, OfFieldsAndDisorder) {
    const std::string ring = lattice("ring", "4") + xyz;
    const SpinHamiltonian fields = make_hamiltonian(trotter_job(ring + "field-x = 1,2,3,4\nfield-y = 7\n"));
    EXPECT_EQ(fields[Axis::x].field, (std::vector<double>{1, 2, 3, 4}));
    EXPECT_EQ(fields[Axis::y].field, (std::vector<double>{7, 7, 7, 7}));
    EXPECT_EQ(fields[Axis::z].field, (std::vector<double>{0, 0, 0, 0}));

    const auto disorder = [&](const std::string& more, Axis axis) {
        return make_hamiltonian(trotter_job(lattice("ring", "40") + xyz + "disorder = 3\n" + more))[axis].field;
    };
    const std::vector<double> drawn = disorder("", Axis::z);
    double square = 0, mean = 0;
    for (const double h : drawn) {
        EXPECT_LT(std::abs(h), 3);
        square += h * h / 40;
        mean += h / 40;
    }
    EXPECT_NEAR(square, 3, 1.2);  // W^2 / 3 within 2.8 standard errors of 40 draws
    EXPECT_NEAR(mean, 0, 0.8);
    EXPECT_EQ(disorder("", Axis::z), drawn);
    EXPECT_EQ(disorder("", Axis::x), std::vector<double>(40));
    EXPECT_EQ(disorder("disorder-axis = x\n", Axis::x), drawn);
    EXPECT_NE(disorder("[run]\nseed = 2\n", Axis::z), drawn);
}

TEST(TrotterHamiltonian, OfAPerturbation) {
    const TrotterConfig c =
        trotter_job(lattice("ring", "4") + xyz + "[run]\necho = yes\n[echo]\nperturbation = 0.1 Sz 1; 2 Sx 0 Sx 3\n");
    const SpinHamiltonian sigma = make_perturbation(c, 4);
    EXPECT_EQ(sigma[Axis::z].field, (std::vector<double>{0, 0.1, 0, 0}));
    EXPECT_EQ(pairs(sigma, Axis::x), (Pairs{{{0, 3}, 2}}));
    EXPECT_EQ(pairs(make_hamiltonian(c), Axis::x).size(), 4U);
}

}  // namespace
}  // namespace strata::trotter
