// SPDX-License-Identifier: BSD-3-Clause
// Active bonds between tiles, tile row by tile row. Where two neighbouring sites are bonded along the boundary on both
// sides, their bonds across it unite the same two components; only the first of them is used, which saves unions.
#pragma once

#include <cstdint>

#include "kernels/swendsen_wang/simd.hpp"
#include "kernels/swendsen_wang/slab_view.hpp"

namespace strata::swendsen_wang::STRATA_ISA {

/// Bonds that run along a tile boundary in one direction, for `lanes` tiles.
struct AlongBoundary {
    Words here, there;     ///< bonds on the two sides, each in the bits of its own tile
    Words last;            ///< sites whose bond in that direction leaves the tile
    std::uint64_t stride;  ///< bits to the next site in that direction
};

/// Bonds across a boundary that repeat the union of their neighbour. `first` and `shift` convert the sites of the other
/// side to those of this one.
inline Words redundant(Words across, Words first, Words shift, const AlongBoundary& along) {
    const Words joined = along.here & (along.there & first) << shift;
    return (across & joined & ~along.last) << along.stride;
}

/// Writes the bonds of a tile row to the next tiles along `axis`, without redundant ones, to bonds[tile]. `partner` is
/// the tile row on the other side (the row itself for axis 0).
template <int D>
void boundary_bonds_of_row(const SlabView& s, std::int64_t row, int axis, std::int64_t partner, std::uint64_t* bonds) {
    const TileLattice& l = s.lattice;
    const Words first = set(first_sites(D, axis));
    const std::uint64_t width = axis == 0 ? 0 : l.row_width<D>(row, axis);
    for (std::uint64_t t = 0; t < l.row_tiles(); t += lanes) {
        const Words last = axis == 0 ? load(s.column_last + t) : set(last_sites(D, axis, width));
        const Words shift =
            axis == 0 ? load(s.column_shift + t) : set((width - 1) * static_cast<std::uint64_t>(stride_of(D, axis)));
        const Words across = load(s.bonds[axis] + s.word(row, t)) & last;
        Words dropped = {};
        for (int e = 0; e < D; ++e) {
            if (e == axis) continue;
            const std::uint64_t* there = axis == 0 ? s.bonds[e] + s.word(row, t) + 1 : s.bonds[e] + s.word(partner, t);
            const Words last_e = e == 0 ? load(s.column_last + t) : set(last_sites(D, e, l.row_width<D>(row, e)));
            dropped |= redundant(
                across, first, shift,
                {load(s.bonds[e] + s.word(row, t)), load(there), last_e, static_cast<std::uint64_t>(stride_of(D, e))});
        }
        store(bonds + t, across & ~dropped);
    }
}

}  // namespace strata::swendsen_wang::STRATA_ISA
