// SPDX-License-Identifier: BSD-3-Clause
// Division of bits into tiles. The low bits of a tile make consecutive pieces of 128 bytes of memory, or of 64 bytes
// where that saves a launch.
#include "trotter/state/device_tiles.hpp"

#include <algorithm>

#include "kernels/trotter/device_pass.hpp"

namespace strata::trotter {
namespace {

/// Tiles that share a group get further low bits until they have about min_tile_bits bits, but at most
/// max_shared_low_bits low bits: ranks exchange columns in multiples of 2^low.
constexpr int min_tile_bits = 10, max_shared_low_bits = 4;

/// Number of tiles with `low` low bits each that transform `bits` bits.
int launches(int bits, int tile_bits, int low) { return (bits + tile_bits - low - 1) / (tile_bits - low); }

/// Appends tiles of about equal size for the spins from `first` to `last` - 1. A single tile has at most first - bits
/// low bits, so that as many ranks as there are rows can each take a piece of every row.
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
    else  // a state of one row: the pass only applies the diagonal
        tiles.across_rows = {{layout.row_bits, 0, row}};
    return tiles;
}

}  // namespace strata::trotter
