// SPDX-License-Identifier: BSD-3-Clause
// Philox against the published test vectors, and the vectorised form against the scalar one.
#include "strata/rng.hpp"

#include <gtest/gtest.h>

#include "kernels/swendsen_wang/counter_words.hpp"
#include "kernels/swendsen_wang/philox_simd.hpp"

namespace strata {
namespace {

TEST(Philox, KnownAnswersOfRandom123) {
    // kat_vectors of Random123: zeros, ones, digits of pi
    EXPECT_EQ(philox(0, {0, 0, 0, 0}), (Philox4x32{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
    EXPECT_EQ(philox(~0ull, {~0u, ~0u, ~0u, ~0u}), (Philox4x32{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
    EXPECT_EQ(philox(0x299f31d0a4093822ull, {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}),
              (Philox4x32{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(TileRandom, IsPhiloxWithTheCountersOfTheContract) {
    using namespace swendsen_wang;
    // tiles and sweeps beyond 32 bits, to test the high parts of the counter
    for (std::uint64_t first : {0ull, 5ull, (1ull << 31) - 2, (1ull << 40) + 3})
        for (std::uint64_t sweep : {0ull, 7ull, (1ull << 33) + 1}) {
            const auto even = portable::set(2 * first) + portable::ramp(2);
            const portable::TileRandom random(even, even + 1, sweep, 0x123456789abcdefull);
            const std::uint32_t purpose = counter_purpose(Purpose::bond, 1, 3);
            const portable::WordQuad words = random.words(purpose);
            for (int lane = 0; lane < portable::lanes; ++lane)
                for (std::uint64_t half = 0; half < 2; ++half) {
                    const Philox4x32 expected = half_tile_words(
                        0x123456789abcdefull, 2 * (first + static_cast<std::uint64_t>(lane)) + half, purpose, sweep);
                    for (std::size_t w = 0; w < 4; ++w)
                        EXPECT_EQ(static_cast<std::uint32_t>(words.w[w][lane] >> (32 * half)), expected[w]);
                }
        }
}

}  // namespace
}  // namespace strata
