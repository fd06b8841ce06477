// SPDX-License-Identifier: BSD-3-Clause
// Division of the lattice into tiles: one 64-bit word of spins is 8x8 sites in 2D (bit x + 8y) or 4x4x4 in 3D (bit x +
// 4y + 16z). Tiles are numbered in row-major order, x fastest. A slab (one rank's part) is a range of tile layers along
// the slowest axis. Its tile rows run along x and are counted from 0, with one halo layer of tile rows below and one
// above. Extents need not be multiples of the tile's edge: the last tile of an axis is then partly empty, and its last
// site is the neighbour of the first site of the axis. Figures: kernels/README.md.
#pragma once

#include <cstdint>

#include "strata/partition.hpp"

namespace strata::swendsen_wang {

constexpr std::uint64_t sites_per_tile = 64;

/// Distance in bits between neighbouring sites of a tile along `axis`.
constexpr int stride_of(int dimensions, int axis) { return dimensions == 2 ? (axis == 0 ? 1 : 8) : 1 << (2 * axis); }

/// Number of sites of a full tile on one of its boundaries.
constexpr int boundary_sites(int dimensions) { return dimensions == 2 ? 8 : 16; }

/// Geometry of one slab of a periodic square (2D) or cubic (3D) lattice. Trivially copyable.
struct TileLattice {
    int dimensions = 2;
    std::uint64_t extent[3] = {1, 1, 1};  ///< sites of the whole lattice along x, y, z (z = 1 in 2D), each >= 2
    std::uint64_t tiles[3] = {1, 1, 1};   ///< tiles of the whole lattice along x, y, z
    Range layers;                         ///< tile layers of this slab along the slowest axis

    TileLattice() = default;
    /// The whole lattice as one slab; `extents` holds the sites along x, y (and z).
    TileLattice(int dimensions_, const std::uint64_t* extents) : dimensions(dimensions_) {
        for (int axis = 0; axis < dimensions; ++axis) {
            extent[axis] = extents[axis];
            tiles[axis] = (extents[axis] + edge() - 1) / edge();
        }
        layers = {0, all_layers()};
    }

    /// Sites along each axis of a full tile.
    constexpr std::uint64_t edge() const { return dimensions == 2 ? 8 : 4; }
    constexpr int slow_axis() const { return dimensions - 1; }
    constexpr std::uint64_t sites() const { return extent[0] * extent[1] * extent[2]; }
    /// Tile layers of the whole lattice.
    constexpr std::uint64_t all_layers() const { return tiles[slow_axis()]; }
    /// Tile rows of a tile layer: 1 in 2D.
    constexpr std::uint64_t rows_per_layer() const { return dimensions == 2 ? 1 : tiles[1]; }
    constexpr std::uint64_t rows() const { return layers.size() * rows_per_layer(); }
    constexpr std::uint64_t row_tiles() const { return tiles[0]; }
    constexpr std::uint64_t slab_tiles() const { return rows() * row_tiles(); }
    /// Words from one tile row to the next in host memory: eight before the first tile (the last of them is a copy of
    /// the periodic left neighbour), and at least one after the last tile (a copy of the periodic right neighbour).
    constexpr std::uint64_t row_stride() const { return 8 + (row_tiles() / 8 + 1) * 8; }
    /// Tile rows in memory: those of the slab and a halo layer on each side.
    constexpr std::uint64_t stored_rows() const { return rows() + 2 * rows_per_layer(); }

    /// Sites along `axis` in the tile at `index` of that axis: the edge, or less in the last tile.
    constexpr std::uint64_t width(int axis, std::uint64_t index) const {
        const std::uint64_t left = extent[axis] - index * edge();
        return left < edge() ? left : edge();
    }
    /// Sites of the slab.
    constexpr std::uint64_t slab_sites() const {
        const std::uint64_t end = layers.last * edge();
        const std::uint64_t slow = extent[slow_axis()];
        return sites() / slow * ((end < slow ? end : slow) - layers.first * edge());
    }
    /// Global tile layer of a local tile row; halo rows (-rows_per_layer() .. -1 and rows() ..) wrap around.
    constexpr std::uint64_t layer_of(std::int64_t row) const {
        const auto per_layer = static_cast<std::int64_t>(rows_per_layer());
        const auto total = static_cast<std::int64_t>(all_layers());
        const std::int64_t local = (row + per_layer) / per_layer - 1;
        return static_cast<std::uint64_t>((static_cast<std::int64_t>(layers.first) + local + total) % total);
    }
    /// Index of a local tile row within its tile layer.
    constexpr std::uint64_t in_layer(std::int64_t row) const {
        return static_cast<std::uint64_t>(row + static_cast<std::int64_t>(rows_per_layer())) % rows_per_layer();
    }
    /// Sites along `axis` (1 or 2) in the tiles of a local tile row.
    constexpr std::uint64_t row_width(std::int64_t row, int axis) const {
        return dimensions == 2 ? row_width<2>(row, axis) : row_width<3>(row, axis);
    }
    template <int D>  // for loops over tiles, which a further division would slow down
    constexpr std::uint64_t row_width(std::int64_t row, int axis) const {
        return width(axis, axis == D - 1 ? layer_of(row) : in_layer(row));
    }
    /// Distance in bits from the first to the last sites along `axis` (1 or 2) in the tiles of a local tile row.
    constexpr int boundary_shift(std::int64_t row, int axis) const {
        return static_cast<int>(row_width(row, axis) - 1) * stride_of(dimensions, axis);
    }
    /// Global index of the first tile of a local tile row.
    constexpr std::uint64_t first_tile(std::int64_t row) const {
        return (layer_of(row) * rows_per_layer() + in_layer(row)) * row_tiles();
    }
    /// Local tile row of the neighbouring tiles in the positive direction of `axis` (1 or 2).
    constexpr std::int64_t next_row(std::int64_t row, int axis) const {
        const auto per_layer = static_cast<std::int64_t>(rows_per_layer());
        if (axis == slow_axis()) return row + per_layer;
        return in_layer(row) + 1 == rows_per_layer() ? row + 1 - per_layer : row + 1;
    }
    /// Whether the next tiles in the positive direction of `axis` (1 or 2) are across the end of the lattice.
    constexpr bool at_end(std::int64_t row, int axis) const {
        return axis == slow_axis() ? layer_of(row) + 1 == all_layers() : in_layer(row) + 1 == rows_per_layer();
    }
    /// Local tile row of the neighbouring tiles in the negative direction of `axis` (1 or 2).
    constexpr std::int64_t previous_row(std::int64_t row, int axis) const {
        const auto per_layer = static_cast<std::int64_t>(rows_per_layer());
        if (axis == slow_axis()) return row - per_layer;
        return in_layer(row) == 0 ? row - 1 + per_layer : row - 1;
    }
};

/// Bits whose coordinate along `axis` is 0.
constexpr std::uint64_t first_sites(int dimensions, int axis) {
    if (dimensions == 2) return axis == 0 ? 0x0101010101010101u : 0xFFu;
    return axis == 0 ? 0x1111111111111111u : axis == 1 ? 0x000F000F000F000Fu : 0xFFFFu;
}

/// Bits whose coordinate along `axis` is below `width`.
constexpr std::uint64_t sites_below(int dimensions, int axis, std::uint64_t width) {
    std::uint64_t bits = 0;
    for (std::uint64_t i = 0; i < width; ++i)
        bits |= first_sites(dimensions, axis) << (i * static_cast<std::uint64_t>(stride_of(dimensions, axis)));
    return bits;
}

/// Bits whose coordinate along `axis` is `width - 1`: the boundary to the next tile.
constexpr std::uint64_t last_sites(int dimensions, int axis, std::uint64_t width) {
    return first_sites(dimensions, axis) << ((width - 1) * static_cast<std::uint64_t>(stride_of(dimensions, axis)));
}

/// Sites of the lattice in each tile of a local tile row. In the last tile column tile_sites() removes the sites beyond
/// the extent along x.
constexpr std::uint64_t row_sites(const TileLattice& l, std::int64_t row) {
    const std::uint64_t sites = sites_below(l.dimensions, l.slow_axis(), l.row_width(row, l.slow_axis()));
    return l.dimensions == 2 ? sites : sites & sites_below(3, 1, l.row_width(row, 1));
}

/// Sites of the lattice in tile `tile` of a tile row with `in_row` = row_sites().
constexpr std::uint64_t tile_sites(const TileLattice& l, std::uint64_t in_row, std::uint64_t tile) {
    return tile + 1 == l.row_tiles() ? in_row & sites_below(l.dimensions, 0, l.width(0, tile)) : in_row;
}

}  // namespace strata::swendsen_wang
