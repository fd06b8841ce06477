// SPDX-License-Identifier: BSD-3-Clause
// Division of a tile among the threads of a block.
#pragma once

#include "kernels/lanczos/block_layout.hpp"
#include "strata/backend.hpp"

namespace strata::lanczos::cuda {

constexpr unsigned tile_threads = 256, warps = tile_threads / 32;  ///< largest block of threads for a tile

/// Number of threads of the block for a tile of any width: whole warps that divide its numbers evenly.
inline unsigned threads_of(const BlockLayout& l) {
    unsigned together = warps;
    while (l.tile() / 32 % together != 0) --together;
    return 32 * together;
}

/// Positions of one thread in a rectangle with rows of `width` numbers: the numbers, row by row, are distributed
/// cyclically over the `threads` threads of a block.
struct TilePosition {
    STRATA_HOST_DEVICE TilePosition(unsigned thread, unsigned threads, unsigned width_of_row)
        : row(thread / width_of_row),
          column(thread % width_of_row),
          width(width_of_row),
          row_step(threads / width_of_row),
          column_step(threads % width_of_row) {}
    STRATA_HOST_DEVICE void next() {
        row += row_step;
        column += column_step;
        if (column < width) return;
        column -= width;
        ++row;
    }

    unsigned row, column, width, row_step, column_step;
};

}  // namespace strata::lanczos::cuda
