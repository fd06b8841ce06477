// SPDX-License-Identifier: BSD-3-Clause
// One thread's tile on a device: where it is, its faces, the numbers of its components.
#pragma once

#include <cstdint>

#include "kernels/swendsen_wang/device_slice.hpp"
#include "strata/gpu.hpp"

namespace strata::swendsen_wang {

struct TilePlace {
    std::int32_t row;
    std::uint32_t column;
};

/// The tile of number `n` if rows are counted from `first_row`.
__device__ inline TilePlace place_of(const DeviceSlice& s, std::uint32_t n, std::int32_t first_row = 0) {
    return {first_row + static_cast<std::int32_t>(n / s.row_tiles), n % s.row_tiles};
}

__device__ inline const DeviceRow& row_of(const DeviceSlice& s, std::int32_t row) {
    return s.row_facts[static_cast<std::size_t>(row + s.rows_per_layer)];
}

/// Sites of the lattice in a tile.
__device__ inline std::uint64_t sites_of(const DeviceSlice& s, TilePlace p) {
    const std::uint64_t in_row = row_of(s, p.row).sites;
    return p.column + 1 == s.row_tiles ? in_row & s.last_column_sites : in_row;
}

template <int D>
__device__ TileFace face_of(const DeviceSlice& s, TilePlace p, int axis) {
    if (axis > 0) return tile_face<D>(axis, row_of(s, p.row).shift[axis - 1]);
    return tile_face<D>(0, p.column + 1 == s.row_tiles ? s.last_column_shift : (D == 2 ? 7 : 3));
}

/// The next tile along an axis; its row may be a halo row.
__device__ inline TilePlace next_tile(const DeviceSlice& s, TilePlace p, int axis) {
    if (axis > 0) return {row_of(s, p.row).next[axis - 1], p.column};
    return {p.row, p.column + 1 == s.row_tiles ? 0 : p.column + 1};
}

/// Bonds across the face from the previous tile, as bits of their sites in this one.
template <int D>
__device__ std::uint64_t entering_bonds(const DeviceSlice& s, TilePlace p, int axis) {
    const std::uint64_t first = first_sites(D, axis);
    if (axis > 0) {
        const DeviceRow& row = row_of(s, p.row);
        return s.bonds[axis][s.word(row.previous[axis - 1], p.column)] >> row.before_shift[axis - 1] & first;
    }
    const std::uint32_t before = (p.column == 0 ? s.row_tiles : p.column) - 1;
    const int shift = before + 1 == s.row_tiles ? s.last_column_shift : (D == 2 ? 7 : 3);
    return s.bonds[0][s.word(p.row, before)] >> shift & first;
}

/// Id of the tile's first open component, and how many it has.
struct OpenIds {
    std::uint32_t first, count;
};
__device__ inline OpenIds open_ids(const DeviceSlice& s, std::uint32_t tile) {
    const std::uint32_t open = s.open[tile];
    return {s.group_base[tile / group_tiles] + (open >> 8), open & 0xFF};
}

/// Open component of each site of a tile, as bit planes.
template <int D>
struct TileCodes {
    std::uint64_t plane[code_bits(D)];

    __device__ TileCodes(const DeviceSlice& s, std::uint32_t tile) {
        for (int bit = 0; bit < code_bits(D); ++bit) plane[bit] = s.codes[std::uint64_t{s.tiles} * bit + tile];
    }
    /// Of one site.
    __device__ std::uint32_t code(int site) const {
        std::uint32_t c = 0;
        for (int bit = 0; bit < code_bits(D); ++bit) c |= static_cast<std::uint32_t>(plane[bit] >> site & 1) << bit;
        return c;
    }
    /// Sites of one component.
    __device__ std::uint64_t sites(std::uint32_t c) const {
        std::uint64_t sites = ~std::uint64_t{0};
        for (int bit = 0; bit < code_bits(D); ++bit) sites &= c >> bit & 1 ? plane[bit] : ~plane[bit];
        return sites;
    }
};

/// Bonds from a tile to the next one along `axis`, without those that unite the same two components as another.
template <int D>
__device__ std::uint64_t face_bonds(const DeviceSlice& s, TilePlace here, TilePlace there, int axis,
                                    const TileFace& face) {
    const std::uint64_t bonds = s.bonds[axis][s.word(here.row, here.column)] & face.last;
    if (bonds == 0) return 0;
    std::uint64_t dropped = 0;
    for (int along = 0; along < D; ++along)
        if (along != axis)
            dropped |= redundant_bonds(bonds, face, s.bonds[along][s.word(here.row, here.column)],
                                       s.bonds[along][s.word(there.row, there.column)], face_of<D>(s, here, along));
    return bonds & ~dropped;
}

/// More components than ids: counts[id_count] tells the host, and nothing is written.
__device__ inline bool too_many_ids(const DeviceSlice& s) { return s.counts[id_count] > s.id_capacity; }

}  // namespace strata::swendsen_wang
