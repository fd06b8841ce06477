// SPDX-License-Identifier: BSD-3-Clause
// Light-cone passes in every instruction set against diagonal gates and transforms of all spins applied one after
// another, with equal bits among instruction sets.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "kernels/trotter/pass_kernels.hpp"
#include "support/spin_states.hpp"

namespace strata::trotter {
namespace {

/// Random fields, and random couplings between neighbours on a ring.
Diagonal random_ring(int spins, unsigned seed) {
    Diagonal all = random_diagonal(spins, seed), ring(spins);
    ring.field = all.field;
    for (int j = 0; j < spins; ++j) {
        const int k = (j + 1) % spins;
        const std::size_t pair = pair_index(std::min(j, k), std::max(j, k));
        ring.coupling[pair] = all.coupling[pair];
    }
    return ring;
}

struct ConeShape {
    int spins, row_bits;
};

/// The smallest windows, odd and even numbers of rotated spins, many rows.
template <class Real>
std::vector<ConeShape> cone_shapes() {
    constexpr int l = lane_bits<Real>;
    if (l == 4) return {{11, 8}, {12, 9}, {13, 9}, {16, 12}};
    return {{10, 7}, {11, 8}, {13, 8}, {14, 9}, {16, 10}, {18, 7}};
}

/// Diagonal gates 0 ... layers with transforms of all spins between them, by passes with alternating windows.
template <class Real>
void run(const PassKernels<Real>& kernels, const StateLayout& layout, const std::vector<Diagonal>& d,
         Rows<Real>& rows) {
    const Window windows[] = {row_window(layout), column_window(layout)};
    const std::uint64_t block = layout.block_reals();
    for (std::size_t p = 0; 2 * p < d.size(); ++p) {
        const Window& window = windows[p % 2];
        const bool before = p > 0, after = 2 * p + 1 < d.size();
        PartialTables<Real> first(window), last(window);
        if (before) first.set(d[2 * p - 1]);
        if (after) last.set(d[2 * p + 1]);
        FullTables<Real> full(window);
        full.set(d[2 * p], std::exp2(-unnormalised_transforms(window, before, after)));
        LightConePass<Real> pass;
        pass.window = &window;
        pass.first = rows.slab(0);
        const std::vector<std::uint64_t> offsets = bit_offsets(window, layout, layout.spins - layout.row_bits, 0);
        pass.offsets = offsets.data();
        pass.tile_stride = p % 2 == 0 ? layout.row_stride() * block : block;
        pass.tile_gap = p % 2 == 0 ? layout.row_gap() : block;
        if (before) pass.before = first.view();
        if (after) pass.after = last.view();
        pass.full = full.view();
        const std::uint64_t tiles = p % 2 == 0 ? layout.rows() : layout.row_blocks() / 2;
        kernels.light_cone_pass(pass, {0, tiles / 2});  // the tiles of two ranks
        kernels.light_cone_pass(pass, {tiles / 2, tiles});
    }
}

template <class Real>
void expect_passes(const ConeShape& shape, const std::vector<Diagonal>& diagonals, double bound) {
    const StateLayout layout{shape.spins, shape.row_bits, lane_bits<Real>};
    ASSERT_TRUE(has_windows(layout));
    const State start = random_state(shape.spins, 5);
    State expected = start;
    apply(diagonals[0], expected);
    for (std::size_t n = 1; n < diagonals.size(); ++n) {
        transform(expected, 0, shape.spins);
        apply(diagonals[n], expected);
    }
    std::vector<State> found;
    for (const PassKernels<Real>& kernels : pass_variants<Real>()) {
        Rows<Real> rows(layout, 1, start);
        run(kernels, layout, diagonals, rows);
        found.push_back(rows.state());
        EXPECT_LT(distance(found.back(), expected), bound)
            << kernels.name << ' ' << shape.spins << ' ' << shape.row_bits;
        EXPECT_EQ(found.back(), found.front()) << kernels.name;
    }
}

std::vector<Diagonal> random_rings(int spins, int layers) {
    std::vector<Diagonal> diagonals;
    for (int n = 0; n <= layers; ++n) diagonals.push_back(random_ring(spins, 10 + static_cast<unsigned>(n)));
    return diagonals;
}

TEST(LightCone, PassesInDoublePrecision) {
    for (const ConeShape& shape : cone_shapes<double>())
        expect_passes<double>(shape, random_rings(shape.spins, 4), 2e-13);
}

TEST(LightCone, PassesInSinglePrecision) {
    for (const ConeShape& shape : cone_shapes<float>()) expect_passes<float>(shape, random_rings(shape.spins, 4), 1e-4);
}

TEST(LightCone, BeginAndEndInEitherWindow) {
    expect_passes<double>({19, 16}, random_rings(19, 2), 1e-13);  // its set `low` takes two loops
    expect_passes<double>({12, 8}, random_rings(12, 6), 2e-13);
}

/// Rotations by pi, whose cosine is zero.
TEST(LightCone, TurnsByPi) {
    std::vector<Diagonal> diagonals(5, Diagonal(12));
    for (std::size_t n = 0; n < diagonals.size(); ++n)
        for (double& field : diagonals[n].field) field = std::numbers::pi * (n % 2 == 0 ? 1 : -3);
    expect_passes<double>({12, 8}, diagonals, 1e-13);
    expect_passes<float>({12, 8}, diagonals, 1e-5);
}

TEST(LightCone, ServesNeighboursOnly) {
    const StateLayout layout{12, 8, 3};
    Diagonal ring = random_ring(12, 1);
    EXPECT_TRUE(served_by_windows(layout, ring.coupling));
    ring.coupling[pair_index(3, 5)] = 0.1;
    EXPECT_FALSE(served_by_windows(layout, ring.coupling));
    EXPECT_FALSE(has_windows({9, 7, 3}));
    EXPECT_FALSE(has_windows({40, 22, 3}));
}

}  // namespace
}  // namespace strata::trotter
