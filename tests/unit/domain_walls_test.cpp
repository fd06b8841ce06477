// SPDX-License-Identifier: BSD-3-Clause
// Weights of domain walls against the eigenvalues of transfer matrices (oracle/ising_transfer.py prints them).
#include "swendsen_wang/physics/domain_walls.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "swendsen_wang/physics/exact.hpp"

namespace strata::swendsen_wang {
namespace {

/// A wall across these extents, of which some are open, at the coupling K of H = -J sum s s' (q = 2) or -J sum delta.
struct Wall {
    std::vector<std::uint64_t> across;
    double coupling;
    int states;
    std::vector<bool> open;
    double weight;
};

double weight_of(const Wall& w) {
    UniformLattice lattice{w.across, w.open, w.states, w.coupling * (w.states == 2 ? 2 : 1)};
    lattice.extents.push_back(16);  // the axis along which walls lie
    lattice.open.push_back(false);
    return wall_weight(lattice, w.across.size());
}

TEST(DomainWalls, OfPeriodicSquareLatticesAreExact) {
    for (const Wall& w : {Wall{{6}, 0.625, 2, {false}, 0.002971644664}, Wall{{7}, 1 / 1.7, 2, {false}, 0.002936253109},
                          Wall{{8}, 0.5, 2, {false}, 0.01312503538}, Wall{{3}, 0.8, 2, {false}, 0.01030433005}}) {
        EXPECT_NEAR(weight_of(w) / w.weight, 1, 1e-9);
        EXPECT_NEAR(kink_weight(w.across[0], w.coupling) / w.weight, 1, 1e-9);
    }
}

TEST(DomainWalls, OfOtherLatticesAreThoseOfTransferMatricesWithinAFactor) {
    for (const Wall& w :
         {Wall{{6}, 0.6, 2, {true}, 0.01263573402}, Wall{{4}, 0.8, 2, {true}, 0.005369785368},
          Wall{{4}, 1.25, 3, {false}, 0.01823049778}, Wall{{6}, 1.4, 3, {false}, 0.001111342521},
          Wall{{3}, 1.7, 10, {false}, 0.01036807417}, Wall{{4}, 1.4, 3, {true}, 0.02022950054},
          Wall{{3, 3}, 0.3, 2, {false, false}, 0.03168334636}, Wall{{3, 3}, 0.5, 2, {false, false}, 0.0001875321041},
          Wall{{2, 4}, 0.26, 2, {false, false}, 0.1407144236}, Wall{{2, 3}, 0.4, 2, {false, false}, 0.01632482755},
          Wall{{3, 3}, 0.5, 2, {false, true}, 0.0003735212886}, Wall{{3, 3}, 0.5, 2, {true, true}, 0.001155465353},
          Wall{{2, 3}, 0.8, 3, {false, false}, 0.02100483453}, Wall{{2, 2}, 1.2, 5, {false, false}, 0.009567142624}})
        EXPECT_NEAR(std::log(weight_of(w) / w.weight), 0, std::log(3.0)) << w.weight << " " << weight_of(w);
}

TEST(DomainWalls, DoNotExistWithoutOrder) {
    EXPECT_EQ(weight_of({{8}, 0.44, 2, {false}, 0}), 0);
    EXPECT_EQ(weight_of({{8}, 0.99, 3, {false}, 0}), 0);
    EXPECT_EQ(weight_of({{4, 4}, 0.22, 2, {false, false}, 0}), 0);
    EXPECT_EQ(weight_of({{8}, INFINITY, 2, {false}, 0}), 0);
    EXPECT_EQ(weight_of({{8}, 0, 2, {false}, 0}), 0);
    EXPECT_EQ(weight_of({{1 << 20}, 0.6, 2, {false}, 0}), 0) << "e^-600000";
    const double wide = weight_of({{65536}, 0.44075, 2, {false}, 0}),
                 wider = weight_of({{65537}, 0.44075, 2, {false}, 0});
    EXPECT_NEAR(std::log(wide / wider), 0, std::log(2.0)) << "the sum over wave vectors and its limit";
}

}  // namespace
}  // namespace strata::swendsen_wang
