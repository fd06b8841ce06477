// SPDX-License-Identifier: BSD-3-Clause
// How a vector of dim_up subvectors of length dim_down lies in memory: blocks of 16 up rows, each cut into panels of 32
// reals along down, [block][panel][row in block][real in panel], padded with zeros. A rank owns a contiguous range of
// blocks. H_down works on one block (all down of 16 up rows), H_up on one panel (32 reals of all up rows): both find what
// they need in contiguous pieces of 4 KiB. Complex elements are pairs of reals (re, im).
#pragma once

#include <algorithm>
#include <cstdint>

#include "strata/partition.hpp"

namespace strata::lanczos {

constexpr std::uint64_t block_rows = 16, panel_reals = 32, tile_reals = block_rows * panel_reals;

enum class Arithmetic { real, complex };

struct BlockLayout {
    std::uint64_t dim_up = 1, dim_down = 1;
    Arithmetic arithmetic = Arithmetic::real;
    Range blocks;  ///< of this rank

    constexpr std::uint64_t reals() const { return arithmetic == Arithmetic::real ? 1 : 2; }  ///< per element
    constexpr std::uint64_t all_blocks() const { return (dim_up + block_rows - 1) / block_rows; }
    /// An odd number: the pieces of one panel then lie an odd number of tiles apart and spread over all sets of a
    /// cache.
    constexpr std::uint64_t panels() const { return (dim_down * reals() + panel_reals - 1) / panel_reals | 1; }
    constexpr std::uint64_t block_size() const { return panels() * tile_reals; }   ///< reals of one block
    constexpr std::uint64_t size() const { return blocks.size() * block_size(); }  ///< reals of this rank
    constexpr std::uint64_t tiles() const { return blocks.size() * panels(); }     ///< of this rank
    /// Up rows of a block of this rank, counted from its first block.
    constexpr std::uint64_t rows_of(std::uint64_t block) const {
        return std::min(block_rows, dim_up - (blocks.first + block) * block_rows);
    }
    /// Position of the first real of an element within the rank's memory.
    constexpr std::uint64_t at(std::uint64_t up, std::uint64_t down) const {
        const std::uint64_t real = down * reals();
        return (up / block_rows - blocks.first) * block_size() + real / panel_reals * tile_reals +
               up % block_rows * panel_reals + real % panel_reals;
    }
};

}  // namespace strata::lanczos
