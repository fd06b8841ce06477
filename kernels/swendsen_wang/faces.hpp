// SPDX-License-Identifier: BSD-3-Clause
// The bonds between tiles, tile row by tile row: which pairs of components a bond across a face unites. Of
// neighbouring bonds that unite the same two components, because bonds run along the face on both sides, one is kept.
#pragma once

#include <cstdint>

#include "kernels/swendsen_wang/simd.hpp"
#include "kernels/swendsen_wang/slice_view.hpp"

namespace strata::swendsen_wang::STRATA_ISA {

/// Tile width along `axis` 1 or 2 of a row's tiles.
inline std::uint64_t row_width(const TileLattice& l, std::int64_t row, int axis) {
    return l.width(axis, axis == l.slow_axis() ? l.layer_of(row) : l.in_layer(row));
}

/// Face bonds of `lanes` tiles towards their neighbours, given what lies along the face in direction `along`.
struct AlongFace {
    Words here, there;  ///< bonds along the face on the two sides, each in its own tile's bits
    Words last;         ///< sites whose bond along the face leaves the tile
    std::uint64_t stride;
};
inline Words redundant(Words face, Words first, Words shift, const AlongFace& along) {
    const Words joined = along.here & (along.there & first) << shift;
    return (face & joined & ~along.last) << along.stride;
}

/// Writes the face bonds of a row along `axis`, redundant ones dropped, to faces[tile]. `partner` is the row of the
/// tiles on the other side (the row itself for axis 0).
template <int D>
void row_faces(const SliceView& s, std::int64_t row, int axis, std::int64_t partner, std::uint64_t* faces) {
    const TileLattice& l = s.lattice;
    const Words first = set(first_sites(D, axis));
    const std::uint64_t width = axis == 0 ? 0 : row_width(l, row, axis);
    for (std::uint64_t t = 0; t < l.row_tiles(); t += lanes) {
        const Words last = axis == 0 ? load(s.column_last + t) : set(last_sites(D, axis, width));
        const Words shift =
            axis == 0 ? load(s.column_shift + t) : set((width - 1) * static_cast<std::uint64_t>(stride_of(D, axis)));
        const Words face = load(s.bonds[axis] + s.word(row, t)) & last;
        Words dropped = {};
        for (int e = 0; e < D; ++e) {
            if (e == axis) continue;
            const std::uint64_t* there = axis == 0 ? s.bonds[e] + s.word(row, t) + 1 : s.bonds[e] + s.word(partner, t);
            const Words last_e = e == 0 ? load(s.column_last + t) : set(last_sites(D, e, row_width(l, row, e)));
            dropped |= redundant(
                face, first, shift,
                {load(s.bonds[e] + s.word(row, t)), load(there), last_e, static_cast<std::uint64_t>(stride_of(D, e))});
        }
        store(faces + t, face & ~dropped);
    }
}

}  // namespace strata::swendsen_wang::STRATA_ISA
