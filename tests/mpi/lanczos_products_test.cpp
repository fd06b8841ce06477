// SPDX-License-Identifier: BSD-3-Clause
// Products of operators beside hops and energies on the ranks of this run: chains of spins in transverse fields against
// free fermions, sizes of tables by counting, and the same bits as on one rank in sectors of all that H can conserve.
// Random sums are compared with dense matrices by oracle/products_oracle.py.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "lanczos/run/ground_state.hpp"
#include "lanczos/run/thermal.hpp"
#include "support/lanczos_runs.hpp"
#include "support/product_sectors.hpp"

namespace strata::lanczos {
namespace {

/// sum J Sx Sx + h Sz on a ring.
LanczosConfig ising_ring(int sites, double j, double h) {
    LanczosConfig c = spins("ring", {sites}, 0);
    c.model = ModelType::xyz;
    c.coupling = {j, 0, 0};
    c.field[2] = {h};
    c.conserved = Conserved::parity;
    return c;
}

/// Pairs of modes k, -k of energy e(k) each; an even number of fermions has half-odd k, an odd one whole k, where k = 0
/// and pi are single modes, one of them filled, or one e(k) beside both empty.
double free_fermions(int sites, double j, double h, int parity) {
    const auto mode = [&](double k) { return std::hypot(h + j / 2 * std::cos(k), j / 2 * std::sin(k)); };
    double sum = 0, least = std::abs(h) + std::abs(j);
    for (double m = parity == 0 ? 0.5 : 1; m < sites / 2.0; m += 1) {
        sum += mode(2 * std::numbers::pi * m / sites);
        least = std::min(least, mode(2 * std::numbers::pi * m / sites));
    }
    return parity == 0 ? -sum : std::min(-sum - std::abs(j) / 2, -sum - std::abs(h) + least);
}

TEST(Products, OfATransverseFieldAreFreeFermions) {
    for (const auto& [j, h] : {std::pair(1.2, 0.3), {1.0, 0.5}, {0.4, 1.1}})
        for (int parity : {0, 1}) {
            LanczosConfig c = ising_ring(10, j, h);
            c.up = parity;
            c.degeneracy = false;
            GroundState system(plan(c), on_cpu());
            const Series series = run(system);
            EXPECT_NEAR(values(system, series, "energy")[0], free_fermions(10, j, h, parity), 1e-10) << j << parity;
        }
}

/// All states at once, the field along another axis: the same chain, whose lowest state is that of one parity.
TEST(Products, OfAllStatesAreThoseOfBothParities) {
    LanczosConfig c = ising_ring(10, 0, 0);
    c.coupling = {0, 0, 0.4};
    c.field = {{{0.7}, {0.8}, {0}}};
    c.conserved = Conserved::nothing;
    GroundState system(plan(c), on_cpu());
    const Series series = run(system);
    const double h = std::hypot(0.7, 0.8);
    EXPECT_NEAR(values(system, series, "energy")[0],
                std::min(free_fermions(10, 0.4, h, 0), free_fermions(10, 0.4, h, 1)), 1e-10);
}

TEST(Products, HaveTheSameBitsOnAnyRanks) {
    std::set<Conserved> conserved;
    for (LanczosConfig c : sectors_of_products())
        for (RequestedExchange exchange : {RequestedExchange::automatic, RequestedExchange::rows}) {
            conserved.insert(c.conserved);
            c.exchange = exchange;
            c.observables = {"means", c.spins() ? "a = 1 Sz {i} Sz 0" : "a = 1 n {i}\na = 0.5i n 0"};
            expect_same_bits<GroundState>(c, {"energy", "residual", "a"});
            c.thermal = {{0.5, 2}, 4, 20};
            expect_same_bits<Thermal>(c, {"a"});
        }
    EXPECT_EQ(conserved.size(), 5U);
}

/// <O> of all sites, which the built-in correlations have, too.
TEST(Products, HaveTheExpectationValuesOfCorrelations) {
    LanczosConfig c = with_terms(spins("ring", {8}, 0), "0.4 Sx 0 Sy 5 Sz 7; 0.3 Z 1 Z 2 Z 3 Z 6; 0.2 X 1", {});
    c.conserved = Conserved::nothing;
    c.observables = {"means", "b = 1 Sz 0 Sz {i}\nn = 1/2 X 0 X 0\nn = 1 Sz 3"};
    GroundState system(plan(c), on_cpu());
    const Series series = run(system);
    const std::vector<double> found = values(system, series, "b"), exact = values(system, series, "spin-correlation");
    ASSERT_EQ(found.size(), 8U);
    for (std::size_t i = 0; i < 8; ++i) EXPECT_NEAR(found[i], exact[i], 1e-10);
    EXPECT_NEAR(values(system, series, "n")[0], values(system, series, "occupation")[3], 1e-10);
}

TEST(Products, AreCountedAsTheTablesHaveThem) {
    for (const LanczosConfig& c : sectors_of_products()) {
        const LanczosPlan p(c, 3, 1, 1);
        const Sector& sector = p.sector();
        double nonzeros = 0;
        std::uint64_t bytes = 0;
        for (std::size_t i = 0; i < sector.subspaces().size(); ++i) {
            const auto& [up, down] = sector.subspaces()[i];
            EXPECT_EQ(up.entries(), p.counts().subspace_counts()[i].up_entries);
            EXPECT_EQ(down.entries(), p.counts().subspace_counts()[i].down_entries);
            nonzeros += static_cast<double>(up.entries() * down.basis().count() + down.entries() * up.basis().count());
            bytes += up.bytes() + down.bytes();
        }
        for (const SubspaceHops& between : sector.subspace_hops())
            for (std::size_t r = 0; r < between.rows.size(); ++r) {
                EXPECT_EQ(between.hops[r].entries(), between.entries[r]);
                bytes += between.hops[r].bytes();
                for (std::uint64_t row = 0; row < sector.subspaces()[between.to].up.basis().count(); ++row)
                    if (sector.source(between, row, r).row != Sector::no_row)
                        nonzeros += static_cast<double>(between.entries[r]);
                bytes += between.left != nullptr && r == 0 ? between.left->bytes() : 0;
            }
        EXPECT_EQ(p.counts().nonzeros(), nonzeros);
        EXPECT_EQ(p.counts().table_bytes(p.arithmetic()), bytes);
        EXPECT_TRUE(p.ghost_rows().exact);
    }
}

}  // namespace
}  // namespace strata::lanczos
