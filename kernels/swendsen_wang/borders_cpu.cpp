// SPDX-License-Identifier: BSD-3-Clause
// Clusters at a border of the slab. The components at its active bonds are collected tile by tile, in blocks, whose
// roots are searched for side by side, so that their loads do not wait for each other.
#include <algorithm>

#include "kernels/swendsen_wang/boundary_pairs_simd.hpp"
#include "kernels/swendsen_wang/sweep_kernels.hpp"
#include "strata/parallel.hpp"

namespace strata::swendsen_wang::STRATA_ISA {
namespace {

/// The tiles of the slab's own layer at a border, and their active bonds across it.
class BorderTiles {
  public:
    BorderTiles(const SlabView& s, Border border) : row_tiles_(s.lattice.row_tiles()) {
        const TileLattice& l = s.lattice;
        const bool to_next = border == Border::to_next;
        const auto per_layer = static_cast<std::int64_t>(l.rows_per_layer()),
                   own = to_next ? static_cast<std::int64_t>(l.rows()) - per_layer : 0,
                   below = to_next ? own : -per_layer;
        bonds_ = s.bonds[l.slow_axis()] + s.word(below, 0);
        row_stride_ = l.row_stride();
        first_tile_ = s.index_of(static_cast<std::uint64_t>(own), 0);
        tiles_ = l.rows_per_layer() * row_tiles_;
        shift_ = static_cast<std::uint64_t>(l.boundary_shift(below, l.slow_axis()));
        own_shift_ = to_next ? shift_ : 0;
        border_sites_ = first_sites(l.dimensions, l.slow_axis());
    }
    /// Number of tiles at the border.
    std::uint64_t count() const { return tiles_; }
    /// Bit of the first site of a tile at the border.
    std::uint64_t shift() const { return own_shift_; }
    /// Calls visit(number of the tile in the slab, its sites with an active bond across the border).
    template <class Visit>
    void for_each(Range tiles, Visit visit) const {
        std::uint64_t column = tiles.first % row_tiles_;
        const std::uint64_t* bonds = bonds_ + tiles.first / row_tiles_ * row_stride_;
        for (std::uint64_t t = tiles.first; t < tiles.last; ++t) {
            visit(first_tile_ + t, (bonds[column] >> shift_ & border_sites_) << own_shift_);
            if (++column < row_tiles_) continue;
            column = 0;
            bonds += row_stride_;
        }
    }
    /// Number of the active bonds of some tiles.
    std::uint64_t bonds(Range tiles) const {
        std::uint64_t active = 0;
        for_each(tiles,
                 [&](std::uint64_t, std::uint64_t sites) { active += static_cast<std::uint64_t>(count_bits(sites)); });
        return active;
    }

  private:
    const std::uint64_t* bonds_;  ///< bonds of the tile layer below the border
    std::uint64_t row_tiles_, row_stride_, first_tile_, tiles_;
    std::uint64_t shift_, own_shift_;  ///< bits from the first sites of a tile to those at the border
    std::uint64_t border_sites_;
};

/// Replaces ids by the roots of their clusters, all one step at a time.
void replace_by_roots(const std::uint32_t* parent, std::uint32_t* ids, std::uint64_t count) {
    for (std::uint32_t changes = 1; changes != 0;) {
        changes = 0;
        for (std::uint64_t i = 0; i < count; ++i) {
            const std::uint32_t up = parent[ids[i]];
            changes |= up ^ ids[i];
            ids[i] = up;
        }
    }
}

/// Writes the roots at the active bonds of `tiles` to roots[].
template <int D>
void list_roots(const SlabView& s, const ThreadPart& mine, const BorderTiles& border, Range tiles,
                std::uint32_t* roots) {
    constexpr std::uint64_t block = 32;
    std::uint64_t count = 0;
    const auto flush = [&] {
        replace_by_roots(s.parent, mine.pair_a, count);
        roots = std::copy_n(mine.pair_a, count, roots);
        count = 0;
    };
    border.for_each(tiles, [&](std::uint64_t n, std::uint64_t sites) {
        const TileComponents here = {s.component + 64 * n, s.first_id[n]};
        // the slab has one side of these pairs; the other ids are overwritten without being read
        count += static_cast<std::uint64_t>(
            append_pairs<D, D - 1>(sites, border.shift(), here, here, mine.pair_a + count, mine.pair_b + count));
        if (count >= block) flush();
    });
    flush();
}

/// Each thread counts the bonds before its own tiles, which reads a few words, so that no thread waits for another.
std::uint64_t list_border_roots(const SlabView& s, Border side, std::uint32_t* roots) {
    const BorderTiles border(s, side);
    in_team(s.thread_count, [&](int t) {
        const Range tiles =
            equal_part(border.count(), static_cast<std::uint64_t>(s.thread_count), static_cast<std::uint64_t>(t));
        const auto list = s.lattice.dimensions == 2 ? list_roots<2> : list_roots<3>;
        list(s, s.threads[t], border, tiles, roots + border.bonds({0, tiles.first}));
    });
    return border.bonds({0, border.count()});
}

}  // namespace

void fill_borders(SweepKernels& table) { table.list_border_roots = list_border_roots; }

}  // namespace strata::swendsen_wang::STRATA_ISA
