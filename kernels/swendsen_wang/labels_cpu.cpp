// SPDX-License-Identifier: BSD-3-Clause
// Components within each tile, by iterated minima (Wende and Steinke, SC13, section 3). A site's label is its bit in
// the tile, plus 64 where no bond of it leaves the tile, so that boundary components get the smallest labels. The label
// of every site is replaced by the smallest one of itself and its bonded neighbours until no label changes; it is then
// the label of the minimal site.
//
// Registers (2D with AVX-512; one byte per label). Register k holds row y = k of the sites of 8 tiles:
//
//     byte       0 1 2 3 4 5 6 7   8 ...  15          56 ... 63
//     tile       |----- 0 -----|   |-- 1 --|   ...    |-- 7 --|      l[0] .. l[7]: all rows of 8 tiles
//     x          0 1 2 3 4 5 6 7   0 ...   7          0 ...   7
//
//     neighbour along x: the same register, shifted by one byte within each tile (a 64-bit lane)
//     neighbour along y: the same byte of register k - 1 or k + 1
//
// In 3D a row has 4 sites, a register holds one row of 16 tiles, and k = y + 4 z: neighbours along x lie one byte away
// in a 32-bit lane, along y in register k -+ 1, along z in register k -+ 4. Narrower registers hold fewer tiles.
#include "kernels/swendsen_wang/band_kernels.hpp"
#include "kernels/swendsen_wang/simd.hpp"

namespace strata::swendsen_wang::STRATA_ISA {
namespace {

template <int D>
struct Layout {
    static constexpr int rows = D == 2 ? 8 : 16;  // rows of sites in a tile
    static constexpr int width = 64 / rows;       // sites in a row
    static constexpr int tiles_per_register = sizeof(LabelRow) / width;
    /// Number of sets of tiles that are labelled in an interleaved way, which hides the latency of instructions.
    static constexpr int sets = D == 2 && sizeof(LabelRow) == 64 ? 2 : 1;
    static constexpr int registers = sets * rows;
    static constexpr int tiles = sets * tiles_per_register;
};

/// Bits of the sites that may take labels from a neighbour in a given direction, for `Layout<D>::tiles` consecutive
/// tiles.
template <int D>
struct GroupBonds {
    alignas(64) std::uint64_t from_left[Layout<D>::tiles], from_right[Layout<D>::tiles];
    alignas(64) std::uint64_t up[Layout<D>::tiles], back[Layout<D>::tiles];  // to the next row, the next plane
    alignas(64) std::uint64_t interior[Layout<D>::tiles];  // sites without a bond that leaves the tile
};

/// Bits of GroupBonds as masks of the registers.
template <int D>
struct GroupMasks {
    RowMask from_left[Layout<D>::registers], from_right[Layout<D>::registers], up[Layout<D>::registers];
    RowMask back[Layout<D>::registers], interior[Layout<D>::registers];
};

template <int D>
void row_masks(const std::uint64_t* words, RowMask* masks) {
    for (int set = 0; set < Layout<D>::sets; ++set) {
        if constexpr (D == 2)
            row_masks_2d(words + set * Layout<D>::tiles_per_register, masks + set * Layout<D>::rows);
        else
            row_masks_3d(words + set * Layout<D>::tiles_per_register, masks + set * Layout<D>::rows);
    }
}

/// Bonds along `axis` of the tiles from `tile` that stay within a tile. Adds to `leaving` the sites with a bond that
/// crosses the boundary to the next or from the previous tile.
template <int D>
inline Words inner_bonds(const SlabView& s, std::int64_t row, std::uint64_t tile, int axis, Words last,
                         Words& leaving) {
    const Words first = set(first_sites(D, axis));
    const std::uint64_t* bonds = s.bonds[axis] + s.word(row, tile);
    const Words here = load(bonds);
    const std::int64_t before_row = axis == 0 ? row : s.lattice.previous_row(row, axis);
    const Words before = axis == 0 ? load(bonds - 1) : load(s.bonds[axis] + s.word(before_row, tile));
    // the boundary of the previous tile lies at its own width, which is smaller only in the last tile of an axis
    const std::uint64_t stride = static_cast<std::uint64_t>(stride_of(D, axis));
    const TileLattice& l = s.lattice;
    Words entering;
    if (axis == 0) {
        entering = before >> ((l.edge() - 1) * stride) & first;
        if (tile == 0) entering[0] = before[0] >> (l.width(0, l.row_tiles() - 1) - 1) & first_sites(D, 0);
    } else {
        entering = before >> ((l.row_width<D>(before_row, axis) - 1) * stride) & first;
    }
    leaving |= (here & last) | entering;
    return here & ~last;
}

template <int D>
GroupBonds<D> gather_bonds(const SlabView& s, std::int64_t row, std::uint64_t tile) {
    GroupBonds<D> g;
    const TileLattice& l = s.lattice;
    for (int i = 0; i < Layout<D>::tiles; i += lanes) {
        const std::uint64_t t = tile + static_cast<std::uint64_t>(i);
        Words leaving = {};
        const Words x = t < l.row_tiles() ? inner_bonds<D>(s, row, t, 0, load(s.column_last + t), leaving) : Words{};
        Words y = {}, z = {};
        if (t < l.row_tiles()) {
            y = inner_bonds<D>(s, row, t, 1, set(last_sites(D, 1, l.row_width<D>(row, 1))), leaving);
            if constexpr (D == 3)
                z = inner_bonds<D>(s, row, t, 2, set(last_sites(D, 2, l.row_width<D>(row, 2))), leaving);
        }
        store(g.from_left + i, x << 1);
        store(g.from_right + i, x);
        store(g.up + i, y);
        store(g.back + i, z);
        store(g.interior + i, ~leaving);
    }
    return g;
}

template <int D>
inline LabelRow shift_right(LabelRow row) {  // every site gets the label of its left neighbour
    if constexpr (D == 2)
        return reinterpret_cast<LabelRow>(reinterpret_cast<Words>(row) << 8);
    else
        return reinterpret_cast<LabelRow>(reinterpret_cast<HalfWords>(row) << 8);
}
template <int D>
inline LabelRow shift_left(LabelRow row) {  // every site gets the label of its right neighbour
    if constexpr (D == 2)
        return reinterpret_cast<LabelRow>(reinterpret_cast<Words>(row) >> 8);
    else
        return reinterpret_cast<LabelRow>(reinterpret_cast<HalfWords>(row) >> 8);
}

/// One pass over all bonds of the tiles: along x within each register, then over the registers in ascending and in
/// descending order, which propagates a label along a whole column in one pass.
template <int D>
[[gnu::always_inline]] inline void propagate(const GroupMasks<D>& m, LabelRow (&l)[Layout<D>::registers]) {
    constexpr int n = Layout<D>::rows, all = Layout<D>::registers;
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

/// Labels of one group of tiles, [tile][site]. Five passes suffice for most groups, so that changes are tested only
/// after them.
template <int D>
void label_group(const GroupBonds<D>& bonds, std::uint8_t* labels) {
    constexpr int all = Layout<D>::registers;
    GroupMasks<D> m;
    row_masks<D>(bonds.from_left, m.from_left);
    row_masks<D>(bonds.from_right, m.from_right);
    row_masks<D>(bonds.up, m.up);
    if constexpr (D == 3) row_masks<D>(bonds.back, m.back);
    row_masks<D>(bonds.interior, m.interior);

    LabelRow l[all];
    LabelRow columns;
    for (unsigned i = 0; i < sizeof columns; ++i) columns[i] = static_cast<std::uint8_t>(i % Layout<D>::width);
#pragma GCC unroll 16
    for (int k = 0; k < all; ++k) {  // the site, plus 64 where no bond leaves the tile
        const auto row = static_cast<std::uint8_t>(k % Layout<D>::rows * Layout<D>::width);
        l[k] = columns + row;
        l[k] = add_where(l[k], m.interior[k], LabelRow{} + std::uint8_t{64});
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
    for (int set = 0; set < Layout<D>::sets; ++set) {
        if constexpr (D == 2)
            rows_to_tiles_2d(l + set * Layout<D>::rows, labels + 64 * set * Layout<D>::tiles_per_register);
        else
            rows_to_tiles_3d(l + set * Layout<D>::rows, labels + 64 * set * Layout<D>::tiles_per_register);
    }
}

/// Labels the tiles of one tile row; returns the number of their boundary components.
template <int D>
std::uint64_t label_row(const SlabView& s, std::uint64_t row) {
    const std::uint64_t tiles = s.lattice.row_tiles();
    alignas(64) std::uint8_t labels[Layout<D>::tiles * 64];
    std::uint64_t boundary = 0;
    for (std::uint64_t first = 0; first < tiles; first += Layout<D>::tiles) {
        label_group<D>(gather_bonds<D>(s, static_cast<std::int64_t>(row), first), labels);
        for (std::uint64_t t = first; t < tiles && t < first + Layout<D>::tiles; ++t) {
            const std::uint64_t n = s.index_of(row, t);
            labels_to_components(labels + 64 * (t - first), s.component + 64 * n, s.boundary_minima[n],
                                 s.interior_minima[n]);
            boundary += static_cast<std::uint64_t>(count_bits(s.boundary_minima[n]));
        }
    }
    return boundary;
}

}  // namespace

std::uint64_t label_rows(const SlabView& s, Range rows) {
    std::uint64_t boundary = 0;
    for (std::uint64_t row = rows.first; row < rows.last; ++row)
        boundary += s.lattice.dimensions == 2 ? label_row<2>(s, row) : label_row<3>(s, row);
    return boundary;
}

}  // namespace strata::swendsen_wang::STRATA_ISA
