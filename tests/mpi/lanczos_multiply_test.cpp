// SPDX-License-Identifier: BSD-3-Clause
// H x on the ranks of this run, element by element, against plain creation and annihilation operators
// (support/dense_fermions.hpp): every lattice, one and two spin components, fermions and spins, real and complex, with
// rows read in place, as ghost rows and by transposed panels, in every instruction set.
#include "support/plain_multiply.hpp"
#include "support/spin_model.hpp"

namespace strata::lanczos {
namespace {

void compare(LanczosConfig c) {
    const PlainProduct plain = plain_product(c);
    c.precision = Precision::single;
    expect_plain_multiply(c, nullptr, plain);
    c.precision = Precision::double_;
    expect_plain_multiply(c, nullptr, plain);
    if (world().size() == 1) return;
    c.exchange = RequestedExchange::rows;
    expect_plain_multiply(c, nullptr, plain);
    c.precision = Precision::single;
    expect_plain_multiply(c, nullptr, plain);
    c.exchange = RequestedExchange::transpose;
    if (c.components() == 2) expect_plain_multiply(c, nullptr, plain);
}

class Multiply : public testing::TestWithParam<StepKernels<double>> {};

TEST_P(Multiply, IsThePlainOperatorsForTwoSpecies) {
    for (LanczosConfig c : lattices()) {
        c.simd = GetParam().name;
        const int sites = make_lattice(c.lattice).sites;
        for (const auto& [up, down] : {std::pair(0, 0), {1, sites}, {sites / 2, sites / 2}, {sites - 1, 1}, {2, 1}}) {
            c.up = up;
            c.down = down;
            c.lattice.flux = {};
            c.arithmetic = RequestedArithmetic::automatic;
            compare(c);
            c.arithmetic = RequestedArithmetic::complex;
            compare(c);
            c.lattice.flux = some_flux(c);
            compare(c);
        }
    }
}

TEST_P(Multiply, IsThePlainOperatorsForOneSpeciesAndForSpins) {
    std::vector<LanczosConfig> all = lattices();
    all.push_back(lattice_config("kagome", {2, 2}));  // 12 sites: subspaces with more than one block
    all.push_back(lattice_config("checkerboard", {3, 2}));
    for (LanczosConfig c : all) {
        c.simd = GetParam().name;
        const int sites = make_lattice(c.lattice).sites;
        for (int particles : {0, 1, 2, sites / 2, sites - 1, sites}) {
            c.up = particles;
            for (bool spins : {false, true}) {
                c.model = ModelType::fermions;
                if (spins) set_spins(c, 1.3, -0.4);
                c.lattice.flux = {};
                c.arithmetic = RequestedArithmetic::automatic;
                compare(c);
                c.lattice.flux = some_flux(c);
                compare(c);
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Variants, Multiply, testing::ValuesIn(step_variants<double>()),
                         [](const auto& variant) { return std::string(variant.param.name); });

TEST(Multiply, WithMoreAmplitudesThanSixBitsName) {
    LanczosConfig c = lattice_config("ring", {8});
    c.lattice.type = "custom";
    c.lattice.extents = {1, 1};
    c.up = 4;
    c.down = 3;
    for (int i = 0; i < 8; ++i)
        for (int j = i + 1; j < 8; ++j)
            for (int k = 0; k < 2; ++k)  // 56 amplitudes and their negatives
                c.lattice.cell_bonds += std::to_string(i) + " " + std::to_string(j) + " 0 0 " +
                                        std::to_string(0.1 + 0.37 * i + 1.01 * j + 0.003 * i * j) + " 0 1;";
    compare(c);
    c.lattice.cell_bonds += "0 1 0 0 0.5 0.25";
    compare(c);
}

}  // namespace
}  // namespace strata::lanczos
