// SPDX-License-Identifier: BSD-3-Clause
// The reduced density matrix of a cut: tiles in every instruction set against sums over amplitudes, with equal bits;
// the batches of amplitudes contain every amplitude once, at the position given by its spins.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <random>

#include "kernels/trotter/pass_kernels.hpp"
#include "strata/error.hpp"
#include "trotter/run/entanglement.hpp"

namespace strata::trotter {
namespace {

using Tiles = DensityTiles;

/// Two blocks of different sizes, one after the other.
TEST(TrotterDensity, TilesAreSumsOverAmplitudes) {
    for (const int bits : {1, 3, 5}) {
        std::mt19937_64 engine(static_cast<unsigned>(bits));
        std::normal_distribution<double> normal;
        const std::uint64_t panels = Tiles::panels(bits), counts[] = {256, 3};
        std::vector<Buffer<double>> blocks;
        std::vector<std::complex<double>> rho(panels * panels * 64);
        for (const std::uint64_t count : counts) {
            blocks.emplace_back(panels * count * Tiles::step_doubles);
            for (double& value : blocks.back()) value = normal(engine);
            const auto psi = [&](std::uint64_t a, std::uint64_t b) {
                const double* at = blocks.back().data() + (a / 8 * count + b) * 16 + a % 8;
                return std::complex<double>(at[0], at[8]);
            };
            for (std::uint64_t a = 0; a < panels * 8; ++a)
                for (std::uint64_t c = 0; c < panels * 8; ++c)
                    for (std::uint64_t b = 0; b < count; ++b)
                        rho[a * panels * 8 + c] += psi(a, b) * std::conj(psi(c, b));
        }
        std::vector<double> first;
        for (const PassKernels<double>& kernels : pass_variants<double>()) {
            const std::uint64_t all = Tiles::count(bits), cut = all / 3;
            Buffer<double> sums(all * Tiles::tile_doubles);
            std::ranges::fill(sums, 0.0);
            for (std::size_t i = 0; i < 2; ++i)
                for (const Range part : {Range{0, cut}, Range{cut, all}})  // the parts of two ranks
                    kernels.add_density(blocks[i].data(), counts[i], part,
                                        sums.data() + part.first * Tiles::tile_doubles);
            const double* tile = sums.data();
            for (std::uint64_t p = 0; p < panels; ++p)
                for (std::uint64_t q = 0; q <= p; ++q, tile += Tiles::tile_doubles)
                    for (std::uint64_t i = 0; i < 64; ++i) {
                        const std::complex<double> found(tile[i / 8 * 16 + i % 8], tile[i / 8 * 16 + 8 + i % 8]);
                        EXPECT_LT(std::abs(found - rho[(p * 8 + i / 8) * panels * 8 + q * 8 + i % 8]), 1e-12);
                    }
            const std::vector<double> values(sums.begin(), sums.end());
            if (first.empty()) first = values;
            EXPECT_EQ(values, first) << kernels.name;
        }
    }
}

/// Number formed by some bits of a basis state.
std::uint64_t extract(std::uint64_t x, const std::vector<int>& bits) {
    std::uint64_t value = 0;
    for (std::size_t j = 0; j < bits.size(); ++j) value |= (x >> bits[j] & 1) << j;
    return value;
}

/// Index of amplitude (a, b of a batch) in the panels.
std::uint64_t place(const CutLayout& layout, std::uint64_t a, std::uint64_t b) {
    const std::uint64_t count = std::uint64_t{1} << layout.block_bits();
    return b / count * layout.block_doubles() + (a / 8 * count + b % count) * 16 + a % 8;
}

TEST(TrotterDensity, BatchesHoldEveryAmplitudeOnce) {
    std::mt19937_64 engine(3);
    for (int trial = 0; trial < 40; ++trial) {
        const int bits = 4 + trial % 19, size = 1 + static_cast<int>(engine() % std::min<unsigned>(bits / 2, 14));
        std::vector<int> spins(bits), rest;
        for (int j = 0; j < bits; ++j) spins[j] = j;
        if (trial % 3 != 0) std::shuffle(spins.begin(), spins.end(), engine);
        if (trial % 3 == 1) std::reverse(spins.begin(), spins.end());
        std::vector<int> cut(spins.begin(), spins.begin() + size);
        std::ranges::sort(cut);
        for (int j = 0; j < bits; ++j)
            if (!std::ranges::binary_search(cut, j)) rest.push_back(j);
        const CutLayout layout(cut, bits, bits - static_cast<int>(engine() % 3));
        const CutLayout::Places places = layout.places();
        std::vector<char> seen(std::size_t{1} << bits);
        for (std::uint64_t batch = 0; batch < layout.batches(); ++batch)
            for (std::uint64_t chunk = 0; chunk < layout.chunks(); ++chunk)
                for (std::uint64_t i = 0; i < std::uint64_t{1} << layout.chunk_bits(); ++i) {
                    const std::uint64_t x = layout.amplitude(batch, chunk) + i, low = places.low.size();
                    const std::uint64_t at = layout.place(chunk) + places.low[i % low] + places.high[i / low];
                    const std::uint64_t b = extract(x, rest) - batch * (layout.blocks() << layout.block_bits());
                    ASSERT_EQ(at, place(layout, extract(x, cut), b)) << "trial " << trial;
                    ASSERT_LT(at, layout.panel_doubles());
                    ASSERT_EQ(seen[x]++, 0);
                }
        EXPECT_EQ(std::ranges::count(seen, 1), static_cast<std::ptrdiff_t>(seen.size()));
    }
}

TEST(TrotterDensity, TakesTheSmallerSide) {
    using testing::ElementsAre;
    EXPECT_THAT(cut_spins("first 2", 5), ElementsAre(0, 1));
    EXPECT_THAT(cut_spins("first 3", 5), ElementsAre(3, 4));
    EXPECT_THAT(cut_spins("4,0", 5), ElementsAre(0, 4));
    EXPECT_THAT(cut_spins("3", 5), ElementsAre(3));
    EXPECT_EQ(cut_spins("first 14", 40).size(), 14U);
    EXPECT_EQ(cut_spins("first 26", 40).size(), 14U);
    EXPECT_THROW(cut_spins("first 15", 40), Error);
}

}  // namespace
}  // namespace strata::trotter
