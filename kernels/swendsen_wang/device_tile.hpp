// SPDX-License-Identifier: BSD-3-Clause
// Tile of one thread on a device: its position, its neighbours and boundaries, and the ids of its components.
#pragma once

#include <cstdint>

#include "kernels/swendsen_wang/device_slab.hpp"
#include "strata/gpu.hpp"

namespace strata::swendsen_wang {

/// Tile row and tile column of a tile in the slab or its halo rows.
struct TilePosition {
    std::int32_t row;
    std::uint32_t column;
};

/// Position of the `n`-th tile from the beginning of tile row `first_row`.
__device__ inline TilePosition position_of(const DeviceSlab& s, std::uint32_t n, std::int32_t first_row = 0) {
    return {first_row + static_cast<std::int32_t>(n / s.row_tiles), n % s.row_tiles};
}

__device__ inline const DeviceTileRow& row_of(const DeviceSlab& s, std::int32_t row) {
    return s.tile_rows[static_cast<std::size_t>(row + s.rows_per_layer)];
}

/// Sites of the lattice in a tile.
__device__ inline std::uint64_t sites_of(const DeviceSlab& s, TilePosition p) {
    const std::uint64_t in_row = row_of(s, p.row).sites;
    return p.column + 1 == s.row_tiles ? in_row & s.last_column_sites : in_row;
}

/// Bits from the first to the last sites along x in the tiles of a tile column.
template <int D>
__device__ int column_shift(const DeviceSlab& s, std::uint32_t column) {
    return column + 1 == s.row_tiles ? s.last_column_shift : (D == 2 ? 7 : 3);
}

/// Boundary of a tile to the next one along an axis.
template <int D>
__device__ TileBoundary boundary_of(const DeviceSlab& s, TilePosition p, int axis) {
    if (axis > 0) return tile_boundary<D>(axis, row_of(s, p.row).shift[axis - 1]);
    return tile_boundary<D>(0, column_shift<D>(s, p.column));
}

/// Next tile along an axis; its row may be a halo row.
__device__ inline TilePosition next_tile(const DeviceSlab& s, TilePosition p, int axis) {
    if (axis > 0) return {row_of(s, p.row).next[axis - 1], p.column};
    return {p.row, p.column + 1 == s.row_tiles ? 0 : p.column + 1};
}

/// Previous tile of one of the slab's tiles along an axis; its row may be a halo row.
__device__ inline TilePosition previous_tile(const DeviceSlab& s, TilePosition p, int axis) {
    if (axis > 0) return {row_of(s, p.row).previous[axis - 1], p.column};
    return {p.row, (p.column == 0 ? s.row_tiles : p.column) - 1};
}

/// Whether the next tile along an axis is across the end of the lattice.
__device__ inline bool at_end(const DeviceSlab& s, TilePosition p, int axis) {
    return axis > 0 ? row_of(s, p.row).at_end[axis - 1] : p.column + 1 == s.row_tiles;
}

/// Bonds from the previous tile along an axis, as bits of their sites in this tile.
template <int D>
__device__ std::uint64_t entering_bonds(const DeviceSlab& s, TilePosition p, int axis) {
    const std::uint64_t first = first_sites(D, axis);
    if (axis > 0) {
        const DeviceTileRow& row = row_of(s, p.row);
        return s.bonds[axis][s.word(row.previous[axis - 1], p.column)] >> row.previous_shift[axis - 1] & first;
    }
    const std::uint32_t previous = (p.column == 0 ? s.row_tiles : p.column) - 1;
    return s.bonds[0][s.word(p.row, previous)] >> column_shift<D>(s, previous) & first;
}

/// Id of the first boundary component of a tile, and the number of boundary components.
struct IdRange {
    std::uint32_t first, count;
};
__device__ inline IdRange ids_of(const DeviceSlab& s, std::uint32_t tile) {
    const std::uint32_t range = s.id_range[tile];
    return {s.group_first_id[tile / group_tiles] + (range >> 8), range & 0xFF};
}

/// Component index of each site of a tile, as bit planes; all ones for sites of interior components.
template <int D>
struct ComponentPlanes {
    std::uint64_t plane[component_bits(D)];

    __device__ ComponentPlanes(const DeviceSlab& s, std::uint32_t tile) {
        for (int bit = 0; bit < component_bits(D); ++bit) plane[bit] = s.component[std::uint64_t{s.tiles} * bit + tile];
    }
    /// Component index of one site.
    __device__ std::uint32_t at(int site) const {
        std::uint32_t c = 0;
        for (int bit = 0; bit < component_bits(D); ++bit)
            c |= static_cast<std::uint32_t>(plane[bit] >> site & 1) << bit;
        return c;
    }
    /// Sites of component `c`.
    __device__ std::uint64_t sites(std::uint32_t c) const {
        std::uint64_t sites = ~std::uint64_t{0};
        for (int bit = 0; bit < component_bits(D); ++bit) sites &= c >> bit & 1 ? plane[bit] : ~plane[bit];
        return sites;
    }
};

/// Bonds from a tile to the next one along `axis`, without bonds that unite the same two components as another one.
template <int D>
__device__ std::uint64_t boundary_bonds(const DeviceSlab& s, TilePosition here, TilePosition there, int axis,
                                        const TileBoundary& boundary) {
    const std::uint64_t bonds = s.bonds[axis][s.word(here.row, here.column)] & boundary.last;
    if (bonds == 0) return 0;
    std::uint64_t dropped = 0;
    for (int along = 0; along < D; ++along)
        if (along != axis)
            dropped |= redundant_bonds(bonds, boundary, s.bonds[along][s.word(here.row, here.column)],
                                       s.bonds[along][s.word(there.row, there.column)], boundary_of<D>(s, here, along));
    return bonds & ~dropped;
}

/// Whether there are more boundary components than ids. Kernels then write nothing, and the host detects it from
/// counts[id_count].
__device__ inline bool too_many_ids(const DeviceSlab& s) { return s.counts[id_count] > s.id_capacity; }

}  // namespace strata::swendsen_wang
