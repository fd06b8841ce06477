// SPDX-License-Identifier: BSD-3-Clause
// Launches of a pass on a device. A tile fits in the shared memory of a block of threads; a group of more bits than a
// tile holds is cut into several tiles, one launch each. The cut follows from the number of spins and the size of a
// tile.
#pragma once

#include <algorithm>
#include <vector>

#include "kernels/trotter/state_layout.hpp"
#include "trotter/job/config.hpp"

namespace strata::trotter {

/// One launch: it transforms the spins first .. first + count - 1; its tile also holds the spins 0 .. low - 1.
struct DeviceTile {
    int first, count, low;
};

/// Tiles of both groups in the order of the transforms before the diagonal; the last tile of a group also applies the
/// diagonal.
struct DeviceTiles {
    std::vector<DeviceTile> within_row, across_rows;

    /// Launches of two passes, one of each group, that transform before and after the diagonal.
    std::size_t launches() const { return 2 * (within_row.size() + across_rows.size()) - 2; }
    /// Largest number of low bits of a tile across rows: ranks exchange columns in multiples of 2^column_bits().
    int column_bits() const {
        int bits = 0;
        for (const DeviceTile& tile : across_rows) bits = std::max(bits, tile.low);
        return bits;
    }
};

/// `tile_bits`: bits of the largest tile; 0 selects max_tile_bits of the precision.
DeviceTiles device_tiles(const StateLayout& layout, Precision precision, int tile_bits = 0);

}  // namespace strata::trotter
