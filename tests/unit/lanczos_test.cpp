// SPDX-License-Identifier: BSD-3-Clause
// Bases, lattices, tables and sweeps of the Lanczos application against plain operators (support/dense_fermions.hpp).
#include <gtest/gtest.h>
#include <omp.h>

#include <cmath>
#include <random>
#include <set>

#include "lanczos/plan.hpp"
#include "lanczos/tridiagonal.hpp"
#include "strata/buffer.hpp"
#include "strata/error.hpp"
#include "support/dense_fermions.hpp"

namespace strata::lanczos {
namespace {

TEST(Combinations, NumbersFollowTheStringsInOrder) {
    for (int sites : {1, 2, 5, 9})
        for (int particles = 0; particles <= sites; ++particles) {
            const Combinations c(sites, particles);
            std::uint64_t expected = 0;
            for (std::uint64_t s = 0; s < std::uint64_t{1} << sites; ++s) {
                if (__builtin_popcountll(s) != particles) continue;
                EXPECT_EQ(c.number(s), expected);
                EXPECT_EQ(c.string(expected++), s);
            }
            EXPECT_EQ(c.count(), expected);
        }
    const Combinations wide(64, 3);
    EXPECT_EQ(wide.count(), 41664u);
    EXPECT_EQ(wide.string(41663), std::uint64_t{7} << 61);
    EXPECT_EQ(Combinations(64, 64).string(0), ~std::uint64_t{0});
    EXPECT_EQ(Combinations::next(0b0110), 0b1001u);
}

LatticeSpec spec(const std::string& type, std::vector<std::int64_t> extents) {
    LatticeSpec s;
    s.type = type;
    s.extents = std::move(extents);
    s.phase = M_PI / 4;
    return s;
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
        const Lattice l = make_lattice(spec(c.type, c.extents));
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
    EXPECT_THROW(make_lattice(spec("ring", {1})), Error);
    EXPECT_THROW(make_lattice(spec("square", {9, 8})), Error);
    EXPECT_THROW(make_lattice(spec("square", {4})), Error);
}

LanczosConfig config(const LatticeSpec& lattice, int up, int down) {
    LanczosConfig c;
    c.lattice = lattice;
    c.up = up;
    c.down = down;
    c.u = {3.5};
    c.epsilon = {0};
    c.max_steps = 10;
    c.simd = "auto";
    return c;
}

/// H x of a random vector by the sweeps, compared with the plain operators element by element.
void compare(const LanczosConfig& c, const StepKernels& kernels) {
    const LanczosPlan plan(c, 1, 0, omp_get_max_threads());
    const HamiltonianView h = plan.hamiltonian();
    const BlockLayout& l = plan.layout();
    Buffer<double> f(l.size()), q(l.size()), scratch(scratch_reals(h) * static_cast<std::uint64_t>(plan.threads()));
    std::fill(f.begin(), f.end(), 0.0);
    std::fill(q.begin(), q.end(), 0.0);
    std::mt19937_64 random(7);
    std::normal_distribution<double> normal;
    DenseFermions::Vector x;
    const auto state = [&](std::uint64_t u, std::uint64_t d) {
        return h.up.sites[u] | h.dn.sites[d] << plan.model().lattice.sites;
    };
    double norm = 0;
    for (std::uint64_t u = 0; u < l.dim_up; ++u)
        for (std::uint64_t d = 0; d < l.dim_dn; ++d) {
            const Complex value(normal(random), l.reals() == 2 ? normal(random) : 0);
            for (std::uint64_t k = 0; k < l.reals(); ++k) q[l.at(u, d) + k] = k == 0 ? value.real() : value.imag();
            x[state(u, d)] = value;
            norm += std::norm(value);
        }
    kernels.dn_sweep(h, {0, 1, 0}, f.data(), q.data(), scratch.data());
    std::vector<TileSums> sums(l.tiles());
    kernels.up_sweep(h, q.data(), f.data(), sums.data());  // q holds x now, f its product
    const DenseFermions::Vector y = DenseFermions(plan.model()).apply(x);
    double fq = 0, ff = 0, qq = 0, expected_fq = 0, expected_qq = 0;
    for (const TileSums& s : sums) fq += s.fq, ff += s.ff, qq += s.qq;
    for (std::uint64_t u = 0; u < l.dim_up; ++u)
        for (std::uint64_t d = 0; d < l.dim_dn; ++d) {
            const Complex expected = y.at(state(u, d)) - h.shift * x.at(state(u, d));
            const double* got = f.data() + l.at(u, d);
            EXPECT_NEAR(got[0], expected.real(), 1e-11) << kernels.name << " " << c.lattice.type;
            if (l.reals() == 2) {
                EXPECT_NEAR(got[1], expected.imag(), 1e-11) << kernels.name << " " << c.lattice.type;
            }
            expected_fq += (std::conj(x.at(state(u, d))) * expected).real();
            expected_qq += std::norm(expected);
        }
    EXPECT_NEAR(ff, norm, 1e-10 * norm);
    EXPECT_NEAR(fq, expected_fq, 1e-9 * norm);
    EXPECT_NEAR(qq, expected_qq, 1e-9 * norm);
}

class Sweeps : public testing::TestWithParam<StepKernels> {};

TEST_P(Sweeps, AreThePlainOperators) {
    for (const LatticeSpec& lattice :
         {spec("ring", {2}), spec("ring", {6}), spec("chain", {5}), spec("square", {3, 2}), spec("square", {4, 2}),
          spec("tilted", {2, 2}), spec("triangular", {2, 3}), spec("honeycomb", {2, 2}), spec("kagome", {2, 1}),
          spec("checkerboard", {2, 2})}) {
        LanczosConfig c = config(lattice, 0, 0);
        const int sites = make_lattice(lattice).sites;
        c.u.clear();
        for (int i = 0; i < sites; ++i) c.u.push_back(1 + 0.3 * i);
        c.epsilon = c.u;
        c.v = -0.7;
        for (const auto& [up, down] : {std::pair(0, 0), {1, sites}, {sites / 2, sites / 2}, {sites - 1, 1}, {2, 1}}) {
            c.up = up;
            c.down = down;
            c.lattice.flux = {};
            c.arithmetic = WishedArithmetic::automatic;
            compare(c, GetParam());
            c.arithmetic = WishedArithmetic::complex;
            compare(c, GetParam());
            c.lattice.flux = lattice.extents.size() == 2 ? std::vector<double>{0.4, -1.1} : std::vector<double>{0.4};
            compare(c, GetParam());
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Variants, Sweeps, testing::ValuesIn(step_variants()),
                         [](const auto& variant) { return std::string(variant.param.name); });

TEST(Recurrence, IsFusedIntoTheFirstSweep) {
    const LanczosPlan plan(config(spec("ring", {6}), 3, 3), 1, 0, omp_get_max_threads());
    const HamiltonianView h = plan.hamiltonian();
    const std::uint64_t size = plan.layout().size();
    for (const StepKernels& kernels : step_variants()) {
        Buffer<double> f(size), q(size), old_f(size), old_q(size), product(size), zero(size),
            scratch(scratch_reals(h) * static_cast<std::uint64_t>(plan.threads()));
        std::fill(f.begin(), f.end(), 0.0);
        std::fill(q.begin(), q.end(), 0.0);
        for (std::uint64_t u = 0; u < 20; ++u)
            for (std::uint64_t d = 0; d < 20; ++d) {
                f[plan.layout().at(u, d)] = std::sin(1.0 + static_cast<double>(20 * u + d));
                q[plan.layout().at(u, d)] = std::cos(2.0 * static_cast<double>(20 * u + d));
            }
        std::copy(f.begin(), f.end(), old_f.begin());
        std::copy(q.begin(), q.end(), old_q.begin());
        kernels.dn_sweep(h, {0.3, 2.5, 0.8}, f.data(), q.data(), scratch.data());
        for (std::uint64_t i = 0; i < size; ++i) EXPECT_NEAR(q[i], (old_q[i] - 0.3 * old_f[i]) * 2.5, 1e-14);
        std::copy(q.begin(), q.end(), product.begin());
        std::fill(zero.begin(), zero.end(), 0.0);
        kernels.dn_sweep(h, {0, 1, 0}, zero.data(), product.data(), scratch.data());  // zero: H_dn of the next f
        for (std::uint64_t i = 0; i < size; ++i) EXPECT_NEAR(f[i], zero[i] - 0.8 * old_f[i], 1e-13);
    }
}

TEST(Tridiagonal, LowestPairOfTheOpenChain) {
    const std::vector<double> diagonal(9, 0.0), off(9, -1.0);
    const RitzPair pair = lowest_pair(diagonal, off);
    EXPECT_NEAR(pair.value, -2 * std::cos(M_PI / 10), 1e-14);
    for (int i = 0; i < 9; ++i)
        EXPECT_NEAR(std::abs(pair.vector[static_cast<std::size_t>(i)]), std::sqrt(0.2) * std::sin(M_PI * (i + 1) / 10),
                    1e-13);
    EXPECT_EQ(lowest_pair(std::vector<double>{4.0}, {}).value, 4);
}

}  // namespace
}  // namespace strata::lanczos
