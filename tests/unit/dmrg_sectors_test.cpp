// SPDX-License-Identifier: BSD-3-Clause
// Tensors of a matrix product state that are regrouped from one side of the centre to the other, and charges of bonds.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "dmrg/physics/sectors.hpp"
#include "dmrg/state/chain_state.hpp"

namespace strata::dmrg {
namespace {

std::vector<Bond> chain_bonds(int sites) {
    std::vector<Bond> bonds;
    for (int i = 0; i + 1 < sites; ++i) bonds.push_back({i, i + 1, 1, 0});
    return bonds;
}

/// A chain with hopping only.
Model hubbard_chain(int sites, Charge target) {
    const std::vector<double> zero(static_cast<std::size_t>(sites));
    return hubbard(chain_bonds(sites), zero, zero, {target.up, target.down});
}

/// The random chain uses all states of both bonds, so that regrouping loses nothing.
TEST(DmrgSectors, ATensorRegroupedTwiceIsItself) {
    const Algebra algebra("auto", 1);
    const Model model = hubbard_chain(6, {3, 2});
    ChainState chain(model, algebra);
    chain.begin(StartColumns::random, {3, 0}, 20);
    for (const SiteTensor& t : chain.tensors()) {
        const SiteTensor other = regrouped(t, model.charges), same = regrouped(other, model.charges);
        EXPECT_NE(other.side, t.side);
        double squares = 0, regrouped_squares = 0;
        for (const Matrix& m : t.matrices) squares += squared_norm(m);
        for (const Matrix& m : other.matrices) regrouped_squares += squared_norm(m);
        EXPECT_NEAR(regrouped_squares, squares, 1e-13);
        const SiteTensor again = regrouped(same, model.charges);
        EXPECT_EQ(again.kept, other.kept);
        ASSERT_EQ(again.matrices.size(), other.matrices.size());
        for (std::size_t k = 0; k < again.matrices.size(); ++k)
            EXPECT_EQ(again.matrices[k].elements, other.matrices[k].elements);
    }
}

/// Compares X(r, l) with the explicit sum over the states of the bond.
TEST(DmrgSectors, AJoinedWaveFunctionIsTheSumOverItsBond) {
    const Algebra algebra("auto", 2);
    const Model model = hubbard_chain(5, {2, 3});
    ChainState chain(model, algebra);
    chain.begin(StartColumns::random, {7, 0}, 16);
    for (int centre = 0; centre < 4; ++centre) {
        if (centre > 0) chain.move_right();
        const auto c = static_cast<std::size_t>(centre);
        const SiteTensor &left = chain.tensors()[c], &right = chain.tensors()[c + 1];
        const std::vector<Matrix> x = joined(algebra, left, right);
        ASSERT_EQ(x.size(), left.enlarged.sectors.size());
        double squares = 0;
        for (std::size_t k = 0; k < left.kept.size(); ++k) {
            const std::size_t sector = *left.enlarged_sector(k);
            const auto other = right.kept.find(left.kept.charges[k]);
            if (!other) continue;
            const Matrix &l = left.matrices[k], &r = right.matrices[*other];
            ASSERT_EQ(x[sector].rows, r.rows);
            ASSERT_EQ(x[sector].columns, l.rows);
            for (std::uint64_t i = 0; i < r.rows; ++i)
                for (std::uint64_t j = 0; j < l.rows; ++j) {
                    double sum = 0;
                    for (std::uint64_t b = 0; b < l.columns; ++b) sum += r(i, b) * l(j, b);
                    EXPECT_NEAR(x[sector](i, j), sum, 1e-13);
                }
            squares += squared_norm(x[sector]);
        }
        if (centre == 0) {
            EXPECT_NEAR(squares, 1, 1e-12);  // the state is normalised
        }
    }
}

/// Columns must be orthonormal, and every bond must have states that lead to the target.
TEST(DmrgSectors, ARandomStateIsOrthonormalForAnyFilling) {
    const Algebra algebra("auto", 1);
    for (const Charge target : {Charge{0, 0}, Charge{7, 7}, Charge{7, 0}, Charge{1, 6}, Charge{4, 3}})
        for (const std::uint64_t states : {1U, 2U, 40U}) {
            const Model model = hubbard_chain(7, {target.up, target.down});
            ChainState chain(model, algebra);
            chain.begin(StartColumns::random, {11, 0}, states);
            for (std::size_t site = 1; site < 7; ++site)
                for (const Matrix& m : chain.tensors()[site].matrices) {
                    ASSERT_LE(m.columns, m.rows);
                    for (std::uint64_t i = 0; i < m.columns; ++i)
                        for (std::uint64_t j = 0; j <= i; ++j) {
                            double overlap = 0;
                            for (std::uint64_t k = 0; k < m.rows; ++k) overlap += m(k, i) * m(k, j);
                            EXPECT_NEAR(overlap, i == j ? 1 : 0, 1e-12);
                        }
                }
        }
}

/// Number of product states of the first `sites` sites by charge, counted site by site.
std::map<Charge, std::uint64_t> counted_states(const Model& model, int sites) {
    std::map<Charge, std::uint64_t> states = {{Charge{}, 1}};
    for (int i = 0; i < sites; ++i) {
        std::map<Charge, std::uint64_t> next;
        for (const auto& [q, count] : states)
            for (const Charge& s : model.charges) next[q + s] += count;
        states = std::move(next);
    }
    return states;
}

std::vector<Model> models_of(int sites) {
    std::vector<Model> models;
    for (int up = 0; up <= sites; ++up)
        for (int down = 0; down <= sites; ++down) models.push_back(hubbard_chain(sites, {up, down}));
    for (int twice_spin = 1; twice_spin <= 4; ++twice_spin)
        for (int raised = 0; raised <= twice_spin * sites; ++raised)
            models.push_back(
                heisenberg(twice_spin, {}, std::vector<double>(static_cast<std::size_t>(sites)), 0, Filling{raised}));
    return models;
}

TEST(DmrgModel, ProductStatesAreCounted) {
    for (const Model& model : models_of(4))
        for (int sites = 0; sites <= 16; ++sites) {
            const auto counted = counted_states(model, sites);
            for (int up = 0; up <= 4; ++up)
                for (int down = 0; down <= ((model.kind == SiteKind::electrons) ? 4 : 0); ++down) {
                    const auto found = counted.find({up, down});
                    EXPECT_EQ(product_states(model, sites, {up, down}),
                              std::min<std::uint64_t>(found == counted.end() ? 0 : found->second, 1'000'000));
                }
            EXPECT_EQ(product_states(model, sites, counted.rbegin()->first), 1U);
        }
}

/// Reference: charges on a path from zero to the target, from all product states of both sides of a bond.
TEST(DmrgModel, ReachableChargesLeadFromNothingToTheTarget) {
    for (const Model& model : models_of(5))
        for (int bond = 0; bond <= 5; ++bond) {
            const auto left = counted_states(model, bond), right = counted_states(model, 5 - bond);
            const ChargeRange range = reachable_charges(model, bond);
            for (int up = -1; up <= 21; ++up)
                for (int down = -1; down <= 6; ++down) {
                    const Charge q{up, down};
                    EXPECT_EQ(range.contains(q), left.contains(q) && right.contains(model.target - q));
                }
        }
}

}  // namespace
}  // namespace strata::dmrg
