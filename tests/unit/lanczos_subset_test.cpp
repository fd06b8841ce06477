// SPDX-License-Identifier: BSD-3-Clause
// States of a set of sites: their blocks, and the signs of fermions that pass those of other sites.
#include <gtest/gtest.h>

#include <algorithm>

#include "lanczos/physics/subset_states.hpp"

namespace strata::lanczos {
namespace {

Model electrons_on(int sites) {
    Model model;
    model.lattice.sites = sites;
    return model;
}

TEST(SubsetStates, HaveABlockForEveryCharge) {
    const auto sizes = [](Conserved conserved) {
        std::vector<std::size_t> blocks = SubsetStates({1, 3}, electrons_on(5), conserved).blocks();
        std::ranges::sort(blocks);
        return blocks;
    };
    EXPECT_EQ(sizes(Conserved::numbers), (std::vector<std::size_t>{1, 1, 1, 1, 2, 2, 2, 2, 4}));
    EXPECT_EQ(sizes(Conserved::particles), (std::vector<std::size_t>{1, 1, 4, 4, 6}));
    EXPECT_EQ(sizes(Conserved::spin), (std::vector<std::size_t>{1, 1, 4, 4, 6}));
    EXPECT_EQ(sizes(Conserved::parity), (std::vector<std::size_t>{8, 8}));
    EXPECT_EQ(SubsetStates({1, 3}, electrons_on(5), Conserved::nothing).elements(), 256U);
}

/// Spin down of all sites before spin up: words {down, up}.
TEST(SubsetStates, CountParticlesThatArePassed) {
    const SubsetStates one({1}, electrons_on(3), Conserved::parity);
    EXPECT_FALSE(one.minus({0b010, 0b000}));
    EXPECT_TRUE(one.minus({0b011, 0b000}));
    EXPECT_FALSE(one.minus({0b110, 0b000}));
    EXPECT_TRUE(one.minus({0b001, 0b010})) << "an up particle passes the down particles of other sites";
    EXPECT_TRUE(one.minus({0b100, 0b010}));
    EXPECT_FALSE(one.minus({0b100, 0b011}));
    EXPECT_FALSE(one.minus({0b010, 0b010})) << "not those of its own site";
    EXPECT_TRUE(one.minus({0b011, 0b011})) << "one by the down particle, two by the up particle";
}

}  // namespace
}  // namespace strata::lanczos
