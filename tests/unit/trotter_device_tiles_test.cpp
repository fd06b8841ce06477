// SPDX-License-Identifier: BSD-3-Clause
// Tiles of a device: every spin of a group is in one tile, tiles fit into shared memory, and the numbers of launches
// are those counted by hand.
#include <gtest/gtest.h>

#include "kernels/trotter/device_pass.hpp"
#include "trotter/state/device_tiles.hpp"

namespace strata::trotter {
namespace {

void expect_group(const std::vector<DeviceTile>& tiles, int first, int last, int tile_bits) {
    for (const DeviceTile& tile : tiles) {
        EXPECT_EQ(tile.first, first);
        EXPECT_LE(tile.count + tile.low, tile_bits);
        EXPECT_LE(tile.low, tile.first);
        first += tile.count;
    }
    EXPECT_EQ(first, last);
}

TEST(TrotterDeviceTiles, HoldEverySpinOnce) {
    for (const Precision precision : {Precision::double_, Precision::single})
        for (int tile_bits = 2; tile_bits <= 13; ++tile_bits)
            for (int row_bits = 1; row_bits <= 13; ++row_bits)
                for (int spins = row_bits; spins <= 40; ++spins) {
                    const DeviceTiles tiles = device_tiles({spins, row_bits, 0}, precision, tile_bits);
                    SCOPED_TRACE(testing::Message()
                                 << spins << " spins, rows of " << row_bits << ", tiles of " << tile_bits);
                    expect_group(tiles.within_row, 0, row_bits, tile_bits);
                    if (spins > row_bits) expect_group(tiles.across_rows, row_bits, spins, tile_bits);
                }
}

std::size_t launches(int spins, int tile_bits) {
    return device_tiles({spins, 12, 0}, Precision::double_, tile_bits).launches();
}

/// Two passes transform all spins: 12 within a row, and 9 in a tile of 12 bits with lines of 128 bytes, or 10 with 64
/// bytes.
TEST(TrotterDeviceTiles, AreFew) {
    for (const auto& [spins, expected] :
         {std::pair(12, 2U), {21, 2U}, {22, 2U}, {23, 4U}, {30, 4U}, {32, 4U}, {33, 6U}})
        EXPECT_EQ(launches(spins, 12), expected) << spins;
    EXPECT_EQ(launches(20, 11), 4U);  // two launches for a row
    EXPECT_EQ(launches(30, 11), 6U);
}

/// Columns can be divided among as many ranks as there are rows for few spins, and among 256 ranks for many spins.
TEST(TrotterDeviceTiles, LeaveColumnsForTheRanks) {
    for (const auto& [spins, bits] :
         {std::pair(13, 11), {14, 10}, {21, 3}, {22, 2}, {23, 4}, {30, 3}, {32, 2}, {36, 3}})
        EXPECT_EQ(device_tiles({spins, 12, 0}, Precision::double_).column_bits(), bits) << spins;
}

/// Tiles of 12 bits with gaps take 72 KiB, and so do 13 bits in single precision.
TEST(TrotterDeviceTiles, FitInSharedMemory) {
    EXPECT_EQ(usable_tile_bits<double>(64 << 10), 11);   // sm_75
    EXPECT_EQ(usable_tile_bits<double>(99 << 10), 12);   // sm_86, sm_89
    EXPECT_EQ(usable_tile_bits<double>(163 << 10), 12);  // sm_80
    EXPECT_EQ(usable_tile_bits<float>(64 << 10), 12);
    EXPECT_EQ(usable_tile_bits<float>(227 << 10), 13);  // sm_90
    EXPECT_EQ(usable_tile_bits<double>(48 << 10), 11);
}

}  // namespace
}  // namespace strata::trotter
