// SPDX-License-Identifier: BSD-3-Clause
// The arrays of one slice, borrowed by every kernel of the sweep. Per tile and row, `word(row, tile)` addresses arrays
// with halo rows; `number(row, tile)` those of the slice's own tiles.
#pragma once

#include <cstdint>

#include "kernels/swendsen_wang/tile_lattice.hpp"
#include "strata/partition.hpp"

namespace strata::swendsen_wang {

/// Phases of labelling a slice, timed by each thread.
enum SlicePhase : int { bonds_phase, labels_phase, numbers_phase, merge_phase, slice_phases };

/// What one thread of a sweep keeps; one cache line apart.
struct alignas(128) ThreadSlice {
    Range rows;                          ///< tile rows of this thread: whole layers
    std::uint32_t first_id = 0;          ///< its open components have ids from here on, in canonical order
    std::uint32_t last_id = 0;           ///< end of the ids in use
    std::uint32_t id_end = 0;            ///< end of the ids it may use
    bool overflow = false;               ///< more open components than ids
    std::uint64_t aligned = 0;           ///< aligned neighbour pairs
    std::uint64_t up = 0;                ///< up spins
    double seconds[slice_phases] = {};   ///< of the last label_slice
    std::uint64_t* row_words = nullptr;  ///< scratch: 8 rows of words
    std::uint32_t* pair_a = nullptr;     ///< scratch: staged pairs of ids
    std::uint32_t* pair_b = nullptr;
};

/// Ids at the end of a thread's range that stay unused: kernels write whole vectors of ids.
constexpr std::uint32_t id_slack = 64;

/// Pairs a thread stages before it unites them.
constexpr std::uint64_t staged_pairs = 4096;

struct SliceView {
    TileLattice lattice;
    std::uint64_t seed = 0;
    std::uint64_t sweep = 0;           ///< number of this sweep, from 0
    std::uint64_t bond_threshold = 0;  ///< an aligned pair is bonded if its 64-bit random number is below
    bool bond_always = false;          ///< zero temperature: probability 1

    std::uint64_t* spins = nullptr;                         ///< [stored_rows][row_stride], at row 0, tile 0
    std::uint64_t* bonds[3] = {nullptr, nullptr, nullptr};  ///< likewise; bit = bond to the next site along the axis
    const std::uint64_t* column_sites =
        nullptr;  ///< [row_stride] per tile of a row: its sites, but for the last row's cut
    const std::uint64_t* column_last = nullptr;   ///< its sites on the face along x
    const std::uint64_t* column_shift = nullptr;  ///< bits from the next tile's first sites to that face
    std::uint8_t* codes = nullptr;    ///< [tile][64] component of each site within its tile, open ones first
    std::uint64_t* open = nullptr;    ///< [tile] canonical roots of the tile's open components
    std::uint64_t* closed = nullptr;  ///< [tile] of its closed components: those no bond leaves the tile from
    std::uint64_t* coins = nullptr;   ///< [tile] coin of each closed component, bit = code
    std::uint32_t* base = nullptr;    ///< [tile] id of the tile's first open component
    std::uint32_t* parent = nullptr;  ///< [id] a smaller id of the same cluster, or itself
    std::uint8_t* flip = nullptr;     ///< [id] coin of the component, then of its cluster
    std::uint64_t id_capacity = 0;

    ThreadSlice* threads = nullptr;
    int thread_count = 1;

    std::int64_t word(std::int64_t row, std::uint64_t tile) const {
        return row * static_cast<std::int64_t>(lattice.row_stride()) + static_cast<std::int64_t>(tile);
    }
    std::uint64_t number(std::uint64_t row, std::uint64_t tile) const { return row * lattice.row_tiles() + tile; }
};

}  // namespace strata::swendsen_wang
