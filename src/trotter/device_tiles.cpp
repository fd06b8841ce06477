// SPDX-License-Identifier: BSD-3-Clause
// Low bits make pieces of 128 bytes of memory; 64 bytes where that saves a launch.
#include "trotter/device_tiles.hpp"

#include <algorithm>

#include "kernels/trotter/device_pass.hpp"

namespace strata::trotter {
namespace {

/// Bits of a tile that is one of several, made up by low bits, of which it has few: ranks exchange columns in multiples
/// of 2^low.
constexpr int min_tile_bits = 10, max_shared_low_bits = 4;

int launches(int bits, int tile_bits, int low) { return (bits + tile_bits - low - 1) / (tile_bits - low); }

/// Tiles of the spins from `first` to `last`, of about equal size. A tile that is alone takes as many low bits as leave a
/// piece of a row for every row.
void append(std::vector<DeviceTile>& tiles, int first, int last, int tile_bits, int line_bits) {
    const int bits = last - first;
    int low = std::min({line_bits, first, tile_bits - 1});
    if (low > 1 && launches(bits, tile_bits, low - 1) < launches(bits, tile_bits, low)) --low;
    const int count = launches(bits, tile_bits, low);
    const int widened = std::min({first, max_shared_low_bits, min_tile_bits - bits / count});
    const int most = count == 1 ? std::max(first - bits, 0) : std::max(low, widened);
    for (int i = 0; i < count; ++i) {
        const int begin = first + bits * i / count, end = first + bits * (i + 1) / count;
        tiles.push_back({begin, end - begin, std::min(most, tile_bits - (end - begin))});
    }
}

}  // namespace

DeviceTiles device_tiles(const StateLayout& layout, Precision precision, int tile_bits) {
    const bool single = precision == Precision::single;
    if (tile_bits == 0) tile_bits = single ? max_tile_bits<float> : max_tile_bits<double>;
    const int line_bits = single ? max_low_bits<float> : max_low_bits<double>;
    const int row = std::min(layout.row_bits, tile_bits);
    DeviceTiles tiles{{{0, row, 0}}, {}};
    if (row < layout.row_bits) append(tiles.within_row, row, layout.row_bits, tile_bits, line_bits);
    if (layout.row_bits < layout.spins)
        append(tiles.across_rows, layout.row_bits, layout.spins, tile_bits, line_bits);
    else  // a single row: the diagonal alone
        tiles.across_rows = {{layout.row_bits, 0, row}};
    return tiles;
}

}  // namespace strata::trotter
