// SPDX-License-Identifier: BSD-3-Clause
// Components within each tile, by iterated minima (Wende and Steinke, SC13, section 3). A site's label is its bit in
// the tile, plus 64 where no bond of it leaves the tile, so that boundary components get the smallest labels. Labels
// are replaced by smaller ones of sites that bonds connect with them until none changes; each is then the label of the
// minimal site. Rows of sites take their turns, up and down the tile: a row takes the labels of the row before it along
// bonds, then all sites of a run (sites of the row that bonds along x connect) take the smallest one.
//
// Registers (2D with AVX-512; one byte per label). Register k holds row y = k of the sites of 8 tiles:
//
//     byte       0 1 2 3 4 5 6 7   8 ...  15          56 ... 63
//     tile       |----- 0 -----|   |-- 1 --|   ...    |-- 7 --|      l[0] .. l[7]: all rows of 8 tiles
//     x          0 1 2 3 4 5 6 7   0 ...   7          0 ...   7
//
//     neighbour along x: the same register, one byte away within the tile (a 64-bit lane)
//     neighbour along y: the same byte of register k - 1 or k + 1
//
// In 3D a row has 4 sites, a register holds one row of 16 tiles, and k = y + 4 z: neighbours along x lie one byte away
// in a 32-bit lane, along y in register k -+ 1, along z in register k -+ 4. Narrower registers hold fewer tiles.
#include <type_traits>

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
    static constexpr int sets = D == 2 ? 2 : 1;
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

/// Register with a tile's row of sites in each lane.
template <int D>
using RowLanes = std::conditional_t<D == 2, Words, HalfWords>;

/// Numbers of the bytes of each 16-byte lane.
inline LabelRow bytes_of_lanes() {
    LabelRow number;
    for (unsigned i = 0; i < sizeof number; ++i) number[i] = static_cast<std::uint8_t>(i % 16);
    return number;
}

/// Runs of the sites in one register, which bonds along x connect. With shuffles of bytes: every site looks at the sites
/// that follow it by 1, 2 and 4 in the cycle of its run; after these three steps it has seen all of at most 8 sites.
/// Without: it takes the labels of sites to its left, then to its right, 1, 2 and 4 sites away.
template <int D>
class Runs {
  public:
    Runs() = default;
    Runs(RowMask from_left, RowMask from_right) {
        if constexpr (has_byte_shuffles) {
            const LabelRow here = bytes_of_lanes();
            LabelRow first = add_where(here, from_left, LabelRow{} - std::uint8_t{1});
            for (int step = 0; step < steps; ++step) first = shuffle_bytes(first, first);
            next_[0] = choose_where(from_right, here + std::uint8_t{1}, first);
            for (int step = 1; step < steps; ++step) next_[step] = shuffle_bytes(next_[step - 1], next_[step - 1]);
        } else {
            __builtin_memcpy(&next_[0], &from_left, sizeof from_left);
            __builtin_memcpy(&next_[steps], &from_right, sizeof from_right);
            for (int step = 1; step < steps; ++step) {
                next_[step] = next_[step - 1] | to_right(next_[step - 1], 1 << (step - 1));
                next_[steps + step] = next_[steps + step - 1] | to_left(next_[steps + step - 1], 1 << (step - 1));
            }
        }
    }
    /// Smallest label of the run of each site.
    LabelRow minimum(LabelRow label) const {
        if constexpr (has_byte_shuffles) {
#pragma GCC unroll 3
            for (int step = 0; step < steps; ++step) label = smaller(label, shuffle_bytes(label, next_[step]));
        } else {
#pragma GCC unroll 3
            for (int step = 0; step < steps; ++step) label = smaller(label, to_right(label, 1 << step) | next_[step]);
#pragma GCC unroll 3
            for (int step = 0; step < steps; ++step)
                label = smaller(label, to_left(label, 1 << step) | next_[steps + step]);
        }
        return label;
    }

  private:
    using Lanes = RowLanes<D>;
    static constexpr int steps = D == 2 ? 3 : 2;
    /// Every site gets the byte of the site `distance` sites to its left (right); the first (last) ones get 0.
    static LabelRow to_right(LabelRow row, int distance) {
        return reinterpret_cast<LabelRow>(reinterpret_cast<Lanes>(row) << (8 * distance));
    }
    static LabelRow to_left(LabelRow row, int distance) {
        return reinterpret_cast<LabelRow>(reinterpret_cast<Lanes>(row) >> (8 * distance));
    }
    LabelRow next_[has_byte_shuffles ? steps : 2 * steps];
};

/// Runs and bonds of a group of tiles by registers: masks of the sites with a bond to the next row or plane.
template <int D>
struct GroupMasks {
    Runs<D> runs[Layout<D>::registers];
    RowMask up[Layout<D>::registers], back[Layout<D>::registers], interior[Layout<D>::registers];
};

/// One pass over the rows of the tiles, upwards or downwards.
template <int D, bool Up>
[[gnu::always_inline]] inline void propagate(const GroupMasks<D>& m, LabelRow (&l)[Layout<D>::registers]) {
    constexpr int n = Layout<D>::rows, all = Layout<D>::registers;
#pragma GCC unroll 16
    for (int i = 0; i < n; ++i)
#pragma GCC unroll 2
        for (int k = Up ? i : n - 1 - i; k < all; k += n) {
            const int row = k % n;
            if (Up && (D == 2 ? row > 0 : row % 4 > 0)) l[k] = min_where(l[k], m.up[k - 1], l[k - 1]);
            if (!Up && (D == 2 ? row < n - 1 : row % 4 < 3)) l[k] = min_where(l[k], m.up[k], l[k + 1]);
            if (D == 3 && Up && row >= 4) l[k] = min_where(l[k], m.back[k - 4], l[k - 4]);
            if (D == 3 && !Up && row < n - 4) l[k] = min_where(l[k], m.back[k], l[k + 4]);
            l[k] = m.runs[k].minimum(l[k]);
        }
}

/// Whether no label changes any more, after a pass upwards or downwards. In it each row has taken the labels of the row
/// before it, so that a bond can only connect it with a larger label there.
template <int D, bool Up>
[[gnu::always_inline]] inline bool settled(const GroupMasks<D>& m, const LabelRow (&l)[Layout<D>::registers]) {
    constexpr int n = Layout<D>::rows, all = Layout<D>::registers;
    LabelRow difference = {};
    const auto compare = [&](RowMask mask, const LabelRow& low, const LabelRow& high) {
        const LabelRow& before = Up ? low : high;
        difference |= before ^ min_where(before, mask, Up ? high : low);
    };
#pragma GCC unroll 16
    for (int k = 0; k < all - 1; ++k)
        if (D == 2 ? k % n < n - 1 : k % 4 < 3) compare(m.up[k], l[k], l[k + 1]);
    if constexpr (D == 3)
#pragma GCC unroll 16
        for (int k = 0; k < n - 4; ++k) compare(m.back[k], l[k], l[k + 4]);
    return !differ(difference, LabelRow{});
}

template <int D>
void rows_to_tiles(const LabelRow* rows, std::uint8_t* tiles) {
    for (int set = 0; set < Layout<D>::sets; ++set) {
        const int first = 64 * set * Layout<D>::tiles_per_register;
        if constexpr (D == 2)
            rows_to_tiles_2d(rows + set * Layout<D>::rows, tiles + first);
        else
            rows_to_tiles_3d(rows + set * Layout<D>::rows, tiles + first);
    }
}

/// Labels of one group of tiles, and component indices of their minimal sites where rows are numbered, [tile][site].
/// Two passes seldom suffice, four do in most groups.
template <int D>
void label_group(const GroupBonds<D>& bonds, std::uint8_t* labels, std::uint8_t* indices) {
    constexpr int all = Layout<D>::registers;
    GroupMasks<D> m;
    RowMask from_left[all], from_right[all];
    row_masks<D>(bonds.from_left, from_left);
    row_masks<D>(bonds.from_right, from_right);
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
        m.runs[k] = Runs<D>(from_left[k], from_right[k]);
    }
    propagate<D, true>(m, l);
    propagate<D, false>(m, l);
    for (;;) {
        propagate<D, true>(m, l);
        if (settled<D, true>(m, l)) break;
        propagate<D, false>(m, l);
        if (settled<D, false>(m, l)) break;
    }
    rows_to_tiles<D>(l, labels);
    if constexpr (numbers_rows) {
        LabelRow index[all];
        for (int k = 0; k < all; k += Layout<D>::rows)
            number_components<RowLanes<D>>(l + k, Layout<D>::rows, index + k);
        rows_to_tiles<D>(index, indices);
    }
}

/// Labels the tiles of one tile row; returns the number of their boundary components.
template <int D>
std::uint64_t label_row(const SlabView& s, std::uint64_t row) {
    const std::uint64_t tiles = s.lattice.row_tiles();
    alignas(64) std::uint8_t labels[Layout<D>::tiles * 64], indices[Layout<D>::tiles * 64];
    std::uint64_t boundary = 0;
    for (std::uint64_t first = 0; first < tiles; first += Layout<D>::tiles) {
        label_group<D>(gather_bonds<D>(s, static_cast<std::int64_t>(row), first), labels, indices);
        for (std::uint64_t t = first; t < tiles && t < first + Layout<D>::tiles; ++t) {
            const std::uint64_t n = s.index_of(row, t);
            labels_to_components(labels + 64 * (t - first), indices + 64 * (t - first), s.component + 64 * n,
                                 s.boundary_minima[n], s.interior_minima[n]);
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
