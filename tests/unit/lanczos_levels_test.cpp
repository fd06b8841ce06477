// SPDX-License-Identifier: BSD-3-Clause
// Dense matrices against closed forms, ratios of spacings against lists, and the sectors of all numbers against counting.
// Levels of random H are compared in tests/oracle.
#include <cmath>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>

#include "krylov/dense_matrix.hpp"
#include "lanczos/physics/total_spin.hpp"
#include "lanczos/run/levels.hpp"
#include "models/filling.hpp"
#include "strata/error.hpp"

namespace strata::lanczos {
namespace {

using krylov::DenseMatrix;

/// A ring of n sites with hops exp(i phi): the levels are 2 cos(2 pi k / n + phi). 40 rows are solved in one stage, 1600
/// in two.
TEST(DenseMatrix, HasTheLevelsOfARing) {
    for (const std::size_t n : {2u, 3u, 40u, 1600u})
        for (const double phi : {0.0, 0.3}) {
            if (n == 1600 && phi != 0) continue;  // ten seconds
            DenseMatrix matrix(n, phi != 0);
            for (std::size_t i = 0; i < n; ++i) {
                const std::size_t j = (i + 1) % n;
                matrix.add(std::min(i, j), std::max(i, j), std::polar(1.0, i < j ? phi : -phi));
            }
            std::vector<double> exact;
            for (std::size_t k = 0; k < n; ++k)
                exact.push_back(2 *
                                std::cos(2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(n) + phi));
            std::ranges::sort(exact);
            const std::vector<double> levels = matrix.levels(1);
            ASSERT_EQ(levels.size(), n);
            for (std::size_t k = 0; k < n; ++k) EXPECT_NEAR(levels[k], exact[k], 1e-11) << n << ' ' << k;
        }
}

TEST(DenseMatrix, WithoutNumbersIsRefused) {
    DenseMatrix matrix(3, false);
    matrix.add(0, 1, NAN);
    EXPECT_THROW(matrix.levels(1), Error);
    EXPECT_THROW(DenseMatrix(50000, false), Error);
    DenseMatrix zero(1, true);  // to the rounding of terms of size 1, with an imaginary part that LAPACK does not read
    zero.add(0, 0, {1e-17, 1e-16});
    EXPECT_EQ(zero.levels(1), std::vector<double>{1e-17});
}

TEST(SpacingRatios, OfAList) {
    const std::vector<double> levels = {0, 1, 3, 3, 3, 4, 8};  // spacings 1, 2, 0, 0, 1, 4
    const SpacingRatios all = spacing_ratios(levels, 1, 1e-12);
    EXPECT_EQ(all.ratios, 4u);  // 1/2, 0, none, 0, 1/4
    EXPECT_EQ(all.degenerate, 2u);
    EXPECT_DOUBLE_EQ(all.sum, 0.75);
    const SpacingRatios central = spacing_ratios(levels, 0.7, 1e-12);  // without the first and the last level
    EXPECT_EQ(central.ratios, 2u);
    EXPECT_DOUBLE_EQ(central.sum, 0);
    EXPECT_EQ(spacing_ratios(std::span(levels).first(2), 1, 0).ratios, 0u);
    EXPECT_TRUE(std::isnan(spacing_ratios(std::span(levels).first(1), 1, 0).mean()));
}

/// Sectors that represent those with all spins inverted count for both.
TEST(SectorList, MembersHaveAllStates) {
    for (const bool spins : {false, true})
        for (const Momenta momenta : {Momenta::none, Momenta::all}) {
            LanczosConfig c;
            c.lattice.type = "ring";
            c.lattice.extents = {6};
            if (spins) {
                c.model = ModelType::heisenberg;
                c.coupling = {1, 1, 1};
            }
            c.all_numbers = true;
            c.symmetry.momenta = momenta;
            const SectorList sectors(c);
            double members = 0, listed = 0;
            for (const SectorMember& m : sectors.members(sectors.size())) members += sectors[m.sector].dimension;
            for (const ListedSector& sector : sectors.all()) listed += sector.states();
            EXPECT_EQ(members, spins ? 64 : 4096);
            EXPECT_EQ(listed, members);
            EXPECT_LT(sectors.size(), sectors.members(sectors.size()).size());
        }
}

/// All states of 5 sites, as binomials of their sectors.
TEST(AllFillings, HaveAllStates) {
    const auto choose = [](int n, int k) {
        return std::round(std::tgamma(n + 1) / std::tgamma(k + 1) / std::tgamma(n - k + 1));
    };
    ModelConfig model;
    double states = 0;
    for (const Filling& f : all_fillings(model, 5, Conserved::numbers)) states += choose(5, f.up) * choose(5, f.down);
    EXPECT_EQ(states, 1024);
    model.model = ModelType::t_j;
    states = 0;
    for (const Filling& f : all_fillings(model, 5, Conserved::numbers))
        states += choose(5, f.up) * choose(5 - f.up, f.down);
    EXPECT_EQ(states, 243);
    EXPECT_EQ(all_fillings(model, 5, Conserved::particles).size(), 6u);
    EXPECT_EQ(all_fillings(model, 5, Conserved::spin).size(), 11u);
    EXPECT_EQ(all_fillings(model, 5, Conserved::parity).size(), 2u);
    EXPECT_EQ(all_fillings(model, 5, Conserved::nothing).size(), 1u);
    model.model = ModelType::heisenberg;
    model.twice_spin = 3;
    EXPECT_EQ(all_fillings(model, 5, Conserved::numbers).size(), 16u);
}

/// Two multiplets of S = 0 and one of S = 1 with the energy 0, S = 2 with 1; a level too few makes no multiplets.
TEST(TotalSpins, FollowFromTheSectorsThatHaveALevel) {
    const std::vector<double> zero = {0, 0, 0, 1}, one = {0, 1}, two = {1}, fewer = {0, 0, 1};
    const auto spins = total_spins({{0, zero}, {2, one}, {4, two}}, 1e-9);
    EXPECT_EQ(spins.at(0), (std::vector<double>{0, 0, 1, 2}));
    EXPECT_EQ(spins.at(2), (std::vector<double>{1, 2}));
    EXPECT_EQ(spins.at(4), std::vector<double>{2});
    const auto broken = total_spins({{0, one}, {2, fewer}}, 1e-9);
    EXPECT_TRUE(std::isnan(broken.at(0)[0]) && std::isnan(broken.at(2)[1]));
    EXPECT_EQ(broken.at(0)[1], 1);
}

}  // namespace
}  // namespace strata::lanczos
