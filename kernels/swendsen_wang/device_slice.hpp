// SPDX-License-Identifier: BSD-3-Clause
// The arrays of one slice on a device, borrowed by every kernel of the sweep. Tiles of the slice are numbered row by
// row from 0; `word` addresses arrays with a layer of halo rows below and above. Open components have ids in canonical
// order, without gaps: a tile's first id is that of its group of 256 tiles plus an offset.
#pragma once

#include <cstdint>

#include "kernels/swendsen_wang/cluster_sums.hpp"
#include "kernels/swendsen_wang/tile_core.hpp"
#include "kernels/swendsen_wang/tile_lattice.hpp"
#include "strata/buffer.hpp"

namespace strata::swendsen_wang {

/// Threads of most kernels, and tiles whose ids are counted together.
constexpr unsigned group_tiles = 256;

/// What the tiles of one row have in common; halo rows included.
struct DeviceRow {
    std::uint64_t first_tile = 0;       ///< global number of its first tile
    std::uint64_t sites = 0;            ///< sites of the lattice in each tile, but for the cut of the last column
    std::int32_t next[2] = {};          ///< rows of the next tiles along y (and z)
    std::int32_t previous[2] = {};      ///< rows of the previous tiles
    std::int32_t shift[2] = {};         ///< of the face to the next tile (TileFace)
    std::int32_t before_shift[2] = {};  ///< of the face from the previous tile to this one
};

/// Results that a sweep leaves on the device, all counted in 64 bits.
enum Count : std::uint32_t {
    aligned_count,      ///< aligned neighbour pairs
    up_count,           ///< up spins
    id_count,           ///< open components
    border_count,       ///< clusters on the borders to other slices
    closed_size_count,  ///< from here on: closed components by size, 0 .. 64
    all_counts = closed_size_count + sites_per_tile + 1
};

struct DeviceSlice {
    int dimensions = 2;
    std::uint32_t row_tiles = 0;
    std::int32_t rows = 0, rows_per_layer = 0;
    std::uint32_t tiles = 0;
    std::int32_t last_column_shift = 0;   ///< shift of the face along x of the last tile of a row
    std::uint64_t last_column_sites = 0;  ///< sites of the lattice in it, but for the row's cut
    bool whole = false;                   ///< the slice is the whole lattice: its last layer meets its first one
    bool census = false;                  ///< sizes of clusters are wanted
    std::uint64_t lattice_sites = 0;      ///< of the whole lattice
    std::uint64_t id_capacity = 0;
    BondDraw draw;

    View<const DeviceRow, Cuda> row_facts;   ///< [halo rows, rows, halo rows]
    View<std::uint64_t, Cuda> spins;         ///< [stored rows][row_tiles]
    View<std::uint64_t, Cuda> bonds[3];      ///< likewise; bit = bond to the next site along the axis
    View<std::uint64_t, Cuda> codes;         ///< [code_bits][tiles] open component of each site, all ones: of none
    View<std::uint64_t, Cuda> closed_flips;  ///< [tiles] sites of closed components that flip
    View<std::uint64_t, Cuda> open_coins;    ///< [tiles] coin of each open component, bit = code
    View<std::uint32_t, Cuda> open;          ///< [tiles] ids before it in its group << 8 | open components
    View<std::uint32_t, Cuda> group_base;    ///< [groups] first id
    View<std::uint32_t, Cuda> parent;        ///< [id] a smaller id of the same cluster, or itself
    View<std::uint8_t, Cuda> coin;           ///< [id] of the component, for roots: of the cluster
    View<std::uint64_t, Cuda> size;          ///< [id] sites, if census
    View<std::uint64_t, Cuda> counts;        ///< [all_counts]

    STRATA_HOST_DEVICE std::uint64_t word(std::int32_t row, std::uint32_t column) const {
        return static_cast<std::uint64_t>(row + rows_per_layer) * row_tiles + column;
    }
    STRATA_HOST_DEVICE std::uint32_t number(std::int32_t row, std::uint32_t column) const {
        return static_cast<std::uint32_t>(row) * row_tiles + column;
    }
};

/// Clusters of a slice that have a bonded site on a border, for comm/label_ownership.hpp.
struct DeviceBorders {
    View<std::uint32_t, Cuda> seen[2];     ///< [site on the border to the previous, next slice] its cluster, or none
    View<std::uint32_t, Cuda> root;        ///< [cluster] id
    View<std::uint8_t, Cuda> coin;         ///< [cluster]
    View<std::uint64_t, Cuda> size;        ///< [cluster]
    View<std::uint32_t, Cuda> cluster_of;  ///< [id] its cluster, or none; all none between sweeps
    static constexpr std::uint32_t none = UINT32_MAX;
};

}  // namespace strata::swendsen_wang
