// SPDX-License-Identifier: BSD-3-Clause
// Components within each tile. A site's label is its number in the tile, plus 64 where no bond of it leaves the tile,
// so that open components get the smallest labels; iterated minima over bonded neighbours carry the smallest label of a
// component to all its sites. Row k of many tiles shares one vector register: neighbours in y and z are other
// registers, neighbours in x a shift away.
#include "kernels/swendsen_wang/band_kernels.hpp"
#include "kernels/swendsen_wang/simd.hpp"

namespace strata::swendsen_wang::STRATA_ISA {
namespace {

template <int D>
struct Rows {
    static constexpr int count = D == 2 ? 8 : 16;              // rows of sites in a tile
    static constexpr int width = 64 / count;                   // sites in a row
    static constexpr int together = sizeof(LabelRow) / width;  // tiles that share a register
    /// Sets of tiles that are labelled side by side: their steps fill each other's waiting times.
    static constexpr int sets = D == 2 && sizeof(LabelRow) == 64 ? 2 : 1;
    static constexpr int registers = sets * count;
    static constexpr int tiles = sets * together;
};

/// Bits that tell which neighbours' labels a site may take; words of `Rows<D>::tiles` consecutive tiles.
template <int D>
struct GroupBonds {
    alignas(64) std::uint64_t from_left[Rows<D>::tiles], from_right[Rows<D>::tiles];
    alignas(64) std::uint64_t up[Rows<D>::tiles], back[Rows<D>::tiles];  // to the next row, the next plane
    alignas(64) std::uint64_t closed[Rows<D>::tiles];                    // sites without a bond that leaves the tile
};

template <int D>
struct GroupMasks {
    RowMask from_left[Rows<D>::registers], from_right[Rows<D>::registers], up[Rows<D>::registers];
    RowMask back[Rows<D>::registers], closed[Rows<D>::registers];
};

template <int D>
void row_masks(const std::uint64_t* words, RowMask* masks) {
    for (int set = 0; set < Rows<D>::sets; ++set) {
        if constexpr (D == 2)
            row_masks_2d(words + set * Rows<D>::together, masks + set * Rows<D>::count);
        else
            row_masks_3d(words + set * Rows<D>::together, masks + set * Rows<D>::count);
    }
}

/// Bonds along `axis` of the tiles from `tile`, split into those inside a tile (returned) and the sites they open.
template <int D>
inline Words split(const SliceView& s, std::int64_t row, std::uint64_t tile, int axis, Words last, Words& open) {
    const Words first = set(first_sites(D, axis));
    const std::uint64_t* bonds = s.bonds[axis] + s.word(row, tile);
    const Words here = load(bonds);
    const std::int64_t before_row = axis == 0 ? row : s.lattice.previous_row(row, axis);
    const Words before = axis == 0 ? load(bonds - 1) : load(s.bonds[axis] + s.word(before_row, tile));
    // the previous tile's face is at the end of its own width, which differs from ours only in the last tile
    const std::uint64_t stride = static_cast<std::uint64_t>(stride_of(D, axis));
    const TileLattice& l = s.lattice;
    Words entering;
    if (axis == 0) {
        entering = before >> ((l.edge() - 1) * stride) & first;
        if (tile == 0) entering[0] = before[0] >> (l.width(0, l.row_tiles() - 1) - 1) & first_sites(D, 0);
    } else {
        const std::uint64_t index = axis == l.slow_axis() ? l.layer_of(before_row) : l.in_layer(before_row);
        entering = before >> ((l.width(axis, index) - 1) * stride) & first;
    }
    open |= (here & last) | entering;
    return here & ~last;
}

template <int D>
GroupBonds<D> gather_bonds(const SliceView& s, std::int64_t row, std::uint64_t tile) {
    GroupBonds<D> g;
    const TileLattice& l = s.lattice;
    for (int i = 0; i < Rows<D>::tiles; i += lanes) {
        const std::uint64_t t = tile + static_cast<std::uint64_t>(i);
        Words open = {};
        const Words x = t < l.row_tiles() ? split<D>(s, row, t, 0, load(s.column_last + t), open) : Words{};
        Words y = {}, z = {};
        if (t < l.row_tiles()) {
            const std::uint64_t y_index = D == 2 ? l.layer_of(row) : l.in_layer(row);
            y = split<D>(s, row, t, 1, set(last_sites(D, 1, l.width(1, y_index))), open);
            if constexpr (D == 3) z = split<D>(s, row, t, 2, set(last_sites(D, 2, l.width(2, l.layer_of(row)))), open);
        }
        store(g.from_left + i, x << 1);
        store(g.from_right + i, x);
        store(g.up + i, y);
        store(g.back + i, z);
        store(g.closed + i, ~open);
    }
    return g;
}

template <int D>
inline LabelRow shift_right(LabelRow row) {  // each site sees its left neighbour
    if constexpr (D == 2)
        return reinterpret_cast<LabelRow>(reinterpret_cast<Words>(row) << 8);
    else
        return reinterpret_cast<LabelRow>(reinterpret_cast<HalfWords>(row) << 8);
}
template <int D>
inline LabelRow shift_left(LabelRow row) {
    if constexpr (D == 2)
        return reinterpret_cast<LabelRow>(reinterpret_cast<Words>(row) >> 8);
    else
        return reinterpret_cast<LabelRow>(reinterpret_cast<HalfWords>(row) >> 8);
}

/// One pass over all bonds of the tiles: along each row, then forward and backward through rows and planes.
template <int D>
[[gnu::always_inline]] inline void propagate(const GroupMasks<D>& m, LabelRow (&l)[Rows<D>::registers]) {
    constexpr int n = Rows<D>::count, all = Rows<D>::registers;
#pragma GCC unroll 16
    for (int k = 0; k < all; ++k) l[k] = min_where(l[k], m.from_left[k], shift_right<D>(l[k]));
#pragma GCC unroll 16
    for (int k = 0; k < all; ++k) l[k] = min_where(l[k], m.from_right[k], shift_left<D>(l[k]));
#pragma GCC unroll 16
    for (int i = 1; i < n; ++i)
#pragma GCC unroll 2
        for (int k = i; k < all; k += n)
            if (D == 2 || k % 4 != 0) l[k] = min_where(l[k], m.up[k - 1], l[k - 1]);
    if constexpr (D == 3) {
#pragma GCC unroll 16
        for (int k = 4; k < n; ++k) l[k] = min_where(l[k], m.back[k - 4], l[k - 4]);
#pragma GCC unroll 16
        for (int k = n - 5; k >= 0; --k) l[k] = min_where(l[k], m.back[k], l[k + 4]);
    }
#pragma GCC unroll 16
    for (int i = n - 2; i >= 0; --i)
#pragma GCC unroll 2
        for (int k = i; k < all; k += n)
            if (D == 2 || k % 4 != 3) l[k] = min_where(l[k], m.up[k], l[k + 1]);
}

/// Labels of one group of tiles, [tile][site].
template <int D>
void label_group(const GroupBonds<D>& bonds, std::uint8_t* labels) {
    constexpr int all = Rows<D>::registers;
    GroupMasks<D> m;
    row_masks<D>(bonds.from_left, m.from_left);
    row_masks<D>(bonds.from_right, m.from_right);
    row_masks<D>(bonds.up, m.up);
    if constexpr (D == 3) row_masks<D>(bonds.back, m.back);
    row_masks<D>(bonds.closed, m.closed);

    LabelRow l[all];
    LabelRow columns;
    for (unsigned i = 0; i < sizeof columns; ++i) columns[i] = static_cast<std::uint8_t>(i % Rows<D>::width);
#pragma GCC unroll 16
    for (int k = 0; k < all; ++k) {
        const auto row = static_cast<std::uint8_t>(k % Rows<D>::count * Rows<D>::width);
        l[k] = columns + row;
        l[k] = add_where(l[k], m.closed[k], LabelRow{} + std::uint8_t{64});
    }
    for (int pass = 0; pass < 5; ++pass) propagate<D>(m, l);
    for (bool changed = true; changed;) {
        propagate<D>(m, l);
        LabelRow before[all];
#pragma GCC unroll 16
        for (int k = 0; k < all; ++k) before[k] = l[k];
        propagate<D>(m, l);
        LabelRow difference = {};
#pragma GCC unroll 16
        for (int k = 0; k < all; ++k) difference |= before[k] ^ l[k];
        changed = differ(difference, LabelRow{});
    }
    for (int set = 0; set < Rows<D>::sets; ++set) {
        if constexpr (D == 2)
            rows_to_tiles_2d(l + set * Rows<D>::count, labels + 64 * set * Rows<D>::together);
        else
            rows_to_tiles_3d(l + set * Rows<D>::count, labels + 64 * set * Rows<D>::together);
    }
}

template <int D>
std::uint64_t label_row(const SliceView& s, std::uint64_t row) {
    const std::uint64_t tiles = s.lattice.row_tiles();
    alignas(64) std::uint8_t labels[Rows<D>::tiles * 64];
    std::uint64_t open = 0;
    for (std::uint64_t first = 0; first < tiles; first += Rows<D>::tiles) {
        label_group<D>(gather_bonds<D>(s, static_cast<std::int64_t>(row), first), labels);
        for (std::uint64_t t = first; t < tiles && t < first + Rows<D>::tiles; ++t) {
            const std::uint64_t n = s.number(row, t);
            labels_to_codes(labels + 64 * (t - first), s.codes + 64 * n, s.open[n], s.closed[n]);
            open += static_cast<std::uint64_t>(count_bits(s.open[n]));
        }
    }
    return open;
}

}  // namespace

std::uint64_t label_rows(const SliceView& s, Range rows) {
    std::uint64_t open = 0;
    for (std::uint64_t row = rows.first; row < rows.last; ++row)
        open += s.lattice.dimensions == 2 ? label_row<2>(s, row) : label_row<3>(s, row);
    return open;
}

}  // namespace strata::swendsen_wang::STRATA_ISA
