// SPDX-License-Identifier: BSD-3-Clause
// The launches that a pass takes on a device. A tile is what the shared memory of a block of threads holds; a group of
// more bits than that is cut into several tiles. The cut follows from the number of spins and the size of a tile.
#pragma once

#include <algorithm>
#include <vector>

#include "kernels/trotter/state_layout.hpp"
#include "trotter/config.hpp"

namespace strata::trotter {

/// Spins that one launch transforms, and the lowest spins that its tile holds besides.
struct DeviceTile {
    int first, count, low;
};

/// The tiles of both groups. The diagonal goes with the last one of a group.
struct DeviceTiles {
    std::vector<DeviceTile> within_row, across_rows;

    /// Launches of two passes, one of each group, that transform before and after the diagonal.
    std::size_t launches() const { return 2 * (within_row.size() + across_rows.size()) - 2; }
    /// Low bits of the tiles across rows, at most: ranks exchange columns in multiples of 2^columns.
    int column_bits() const {
        int bits = 0;
        for (const DeviceTile& tile : across_rows) bits = std::max(bits, tile.low);
        return bits;
    }
};

/// `tile_bits`: of the largest tile; 0: as most devices have them.
DeviceTiles device_tiles(const StateLayout& layout, Precision precision, int tile_bits = 0);

}  // namespace strata::trotter
