// SPDX-License-Identifier: BSD-3-Clause
// Memory layout of a vector with dim_up rows, one per up bit string, and dim_down columns, one per down bit string.
// Sixteen consecutive rows form a block; 32 consecutive reals of every row form a panel; a block and a panel intersect
// in a tile of 16 x 32 reals, which is 4 KiB of doubles and contiguous:
//
//                   panel 0        panel 1        panel 2       order in memory: [block][panel][row][real];
//    block 0     | tile 0       | tile 1       | tile 2       |  rows and reals beyond the dimensions are zero;
//    block 1     | tile 3       | tile 4       | tile 5       |  complex elements are pairs of reals (re, im).
//
// In a sector of lattice symmetries (src/lanczos/physics/symmetric_sector.hpp) rows and columns are numbered by orbits, and a
// panel is as wide as the images of a few columns under the whole group; with one spin component it is a single number.
//
// A rank owns a contiguous range of blocks. H_down acts within a row and works on one block at a time; H_up adds whole
// rows to others and works on one panel of all rows at a time. Both read contiguous tiles only.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/vectors/segments.hpp"
#include "strata/partition.hpp"

namespace strata::lanczos {

constexpr std::uint64_t block_rows = 16, panel_reals = 32, tile_reals = block_rows * panel_reals;

using vectors::Arithmetic;

/// Layout of one vector, and the part of one rank.
struct BlockLayout {
    std::uint64_t dim_up = 1, dim_down = 1;
    Arithmetic arithmetic = Arithmetic::real;
    Range blocks;                       ///< blocks of this rank
    std::uint64_t panel = panel_reals;  ///< reals of a row in one panel

    /// Reals per element.
    constexpr std::uint64_t reals() const { return vectors::reals_of(arithmetic); }
    constexpr std::uint64_t all_blocks() const { return (dim_up + block_rows - 1) / block_rows; }
    /// Number of panels of a block. It is odd, so that the tiles of one panel lie an odd number of tiles apart and are
    /// mapped to all sets of a cache.
    constexpr std::uint64_t panels() const { return (dim_down * reals() + panel - 1) / panel | 1; }
    /// Reals of one tile.
    constexpr std::uint64_t tile() const { return block_rows * panel; }
    /// Reals of one block.
    constexpr std::uint64_t block_size() const { return panels() * tile(); }
    /// Reals of this rank.
    constexpr std::uint64_t size() const { return blocks.size() * block_size(); }
    /// Tiles of this rank.
    constexpr std::uint64_t tiles() const { return blocks.size() * panels(); }
    /// Rows of this rank, without the padding of the last block.
    constexpr Range own_rows() const {
        return {std::min(dim_up, blocks.first * block_rows), std::min(dim_up, blocks.last * block_rows)};
    }
    /// Number of rows of a block of this rank, counted from the rank's first block. Devices use it, too: std::min would
    /// take the address of a constant in host memory.
    constexpr std::uint64_t rows_of(std::uint64_t block) const {
        const std::uint64_t left = dim_up - (blocks.first + block) * block_rows;
        return left < block_rows ? left : block_rows;
    }
    /// Position of the first real of an element within the rank's memory.
    constexpr std::uint64_t at(std::uint64_t up, std::uint64_t down) const {
        const std::uint64_t real = down * reals();
        return (up / block_rows - blocks.first) * block_size() + real / panel * tile() + up % block_rows * panel +
               real % panel;
    }
};

}  // namespace strata::lanczos
