// SPDX-License-Identifier: BSD-3-Clause
// Products of operators beside hops and energies on devices, over the ranks of this run: H x and whole runs against the
// CPU's, in sectors of all that H can conserve.
#include <gtest/gtest.h>

#include "cuda/lanczos_device.hpp"
#include "cuda/schedule.hpp"
#include "lanczos/run/ground_state.hpp"
#include "support/product_sectors.hpp"

namespace strata::lanczos {
namespace {

class ProductsCuda : public testing::Test {
  protected:
    void SetUp() override { next_schedule(); }
};

TEST_F(ProductsCuda, MultiplyIsThatOfTheCpu) {
    for (const LanczosConfig& c : sectors_of_products()) expect_multiply_of_cpu(c);
}

TEST_F(ProductsCuda, MultiplyOfCodedSitesIsThatOfTheCpu) {
    for (const LanczosConfig& c : coded_sectors()) expect_multiply_of_cpu(c);
}

TEST_F(ProductsCuda, RunsOfCodedSitesAreThoseOfTheCpu) {
    const std::vector<LanczosConfig> all = coded_sectors();
    for (LanczosConfig c : {all[0], all[1], all.back()}) {
        c.degeneracy = false;
        c.observables = {"means", c.spins() ? "a = 1 Sz {i} Sz {j}" : "a = 1 n_up {i} n_dn 0"};
        expect_like_cpu<GroundState>(c, {"energy", "a", "density-sum"});
    }
}

TEST_F(ProductsCuda, RunsAreThoseOfTheCpu) {
    const std::vector<LanczosConfig> all = sectors_of_products();
    for (LanczosConfig c : {all[1], all.back()}) {  // electrons with N alone, and spins of all states
        c.degeneracy = false;
        c.observables = {"means", c.spins() ? "a = 1 Sz {i} Sz {j}" : "a = 1 n {i}\na = 0.5i n 0"};
        expect_like_cpu<GroundState>(c, {"energy", "a"});
    }
}

}  // namespace
}  // namespace strata::lanczos
