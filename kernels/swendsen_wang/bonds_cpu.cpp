// SPDX-License-Identifier: BSD-3-Clause
// Active bonds of Fortuin and Kasteleyn: a satisfied bond is activated with probability p = 1 - exp(-2 beta J). The
// uniform number of each bond is compared with p binary digit by binary digit, for 64 sites of several tiles at once,
// until every bond is decided: this takes about 12 random bits per bond instead of 64 and is exact to 2^-64. Words are
// addressed by (tile, axis, digit), so that stopping early does not change any other random number.
#include "kernels/swendsen_wang/band_kernels.hpp"
#include "kernels/swendsen_wang/neighbours_simd.hpp"
#include "kernels/swendsen_wang/sweep_kernels.hpp"
#include "strata/parallel.hpp"

namespace strata::swendsen_wang::STRATA_ISA {
namespace {

inline std::uint64_t sum(Words w) {
    std::uint64_t total = 0;
    for (int i = 0; i < lanes; ++i) total += w[i];
    return total;
}

/// Copies the bonds of the end tiles to the words beyond the other end of the tile row.
void wrap_bonds(std::uint64_t* bonds, std::uint64_t tiles) {
    bonds[-1] = bonds[tiles - 1];
    bonds[tiles] = bonds[0];
}

/// Draws the bonds of a tile row along one axis. Each call of the generator serves `lanes` tiles, but only a fifth of the
/// tiles have bonds that the usual calls leave undecided: these are collected, so that further calls serve as many.
class RowDraw {
  public:
    /// `bonds`: the word of the first tile of the row, whose number is `first_tile`.
    RowDraw(const Sweep& sweep, int axis, std::uint64_t first_tile, std::uint64_t* bonds)
        : sweep_(sweep), axis_(axis), first_tile_(first_tile), bonds_(bonds) {}
    RowDraw(const RowDraw&) = delete;
    RowDraw& operator=(const RowDraw&) = delete;

    /// Draws the bonds of the tiles from column `t` on among the satisfied ones.
    [[gnu::always_inline]] void draw(const TileRandom& random, std::uint64_t t, Words satisfied) {
        if (sweep_.bond.always) return store(bonds_ + t, satisfied);
        store(bonds_ + t, draw_usual(random, Purpose::bond, axis_, sweep_.bond, satisfied));
        count_ += append_nonzero(satisfied, t, undecided_ + count_, column_ + count_);
        if (count_ > capacity - lanes) finish();
    }
    /// Decides the bonds that were collected.
    void finish() {
        store(undecided_ + count_, Words{});
        store(column_ + count_, Words{});
        for (int i = 0; i < count_; i += lanes) {
            const Words even = 2 * (load(column_ + i) + first_tile_);
            const Words drawn = draw_rest(TileRandom(even, even + 1, sweep_.index, sweep_.seed), Purpose::bond, axis_,
                                          sweep_.bond, load(undecided_ + i));
            for (int lane = 0; lane < lanes && i + lane < count_; ++lane) bonds_[column_[i + lane]] |= drawn[lane];
        }
        count_ = 0;
    }

  private:
    static constexpr int capacity = 64;  ///< tiles
    const Sweep& sweep_;
    int axis_, count_ = 0;
    std::uint64_t first_tile_;
    std::uint64_t* bonds_;
    std::uint64_t undecided_[capacity + lanes],
        column_[capacity + lanes];  ///< bonds and columns of the collected tiles
};

/// Adds the satisfied bonds and up spins of one tile row and, if `Draws`, draws its bonds.
template <int D, bool Draws>
void process_row(const SlabView& s, ThreadPart& mine, std::int64_t row) {
    const TileLattice& l = s.lattice;
    const Couplings& c = s.sweep.couplings;
    const std::int64_t word = s.word(row, 0);
    const RowBoundary y = row_boundary(s, row, 1), z = row_boundary(s, row, D - 1);
    const Words in_row = set(row_sites(l, row)), first = set(first_sites(D, 0));
    const std::uint64_t tiles = l.row_tiles(), first_half = 2 * l.first_tile(row);
    const auto row_draw = [&](int axis) {
        return RowDraw(s.sweep, axis, l.first_tile(row), s.bonds[axis] + s.word(row, 0));
    };
    RowDraw draw_x = row_draw(0), draw_y = row_draw(1), draw_z = row_draw(D - 1);
    Words satisfied = {}, up = {};
    for (std::uint64_t t = 0; t < tiles; t += lanes) {
        const Words sites = load(s.column_sites + t) & in_row;
        const Words even = set(first_half + 2 * t) + ramp(2);
        const TileRandom random(even, even + 1, s.sweep.index, s.sweep.seed);
        Words along_x = equal_along_x(s, word, first, t) & sites;
        Words along_y = equal_across(s, word, y, t) & sites;
        if (!c.uniform) {
            along_x = with_couplings(c, along_x, sites, end_of_row(s, t), 0, even);
            along_y = with_couplings(c, along_y, sites, across_end(y) & sites, 1, even);
        }
        up += popcount(load(s.spins[0] + word + t) & sites);
        satisfied += popcount(along_x) + popcount(along_y);
        if constexpr (Draws) {
            draw_x.draw(random, t, along_x);
            draw_y.draw(random, t, along_y);
        }
        if constexpr (D == 3) {
            Words along_z = equal_across(s, word, z, t) & sites;
            if (!c.uniform) along_z = with_couplings(c, along_z, sites, across_end(z) & sites, 2, even);
            satisfied += popcount(along_z);
            if constexpr (Draws) draw_z.draw(random, t, along_z);
        }
    }
    for (RowDraw* drawing : {&draw_x, &draw_y, &draw_z}) drawing->finish();
    for (int axis = 0; Draws && axis < D; ++axis) wrap_bonds(s.bonds[axis] + s.word(row, 0), tiles);
    mine.satisfied += sum(satisfied);
    mine.up += sum(up);
}

/// Draws the bonds that enter the slab from the halo row `row` below it.
template <int D>
void draw_entering(const SlabView& s, std::int64_t row) {
    const RowBoundary boundary = row_boundary(s, row, D - 1);
    const Words in_row = set(row_sites(s.lattice, row));
    const std::uint64_t first_half = 2 * s.lattice.first_tile(row);
    for (std::uint64_t t = 0; t < s.lattice.row_tiles(); t += lanes) {
        const Words sites = load(s.column_sites + t) & in_row & boundary.last, even = set(first_half + 2 * t) + ramp(2);
        Words satisfied = equal_across(s, s.word(row, 0), boundary, t) & sites;
        if (!s.sweep.couplings.uniform)
            satisfied = with_couplings(s.sweep.couplings, satisfied, sites, across_end(boundary) & sites, D - 1, even);
        store(s.bonds[D - 1] + s.word(row, t), draw(TileRandom(even, even + 1, s.sweep.index, s.sweep.seed),
                                                    Purpose::bond, D - 1, s.sweep.bond, satisfied));
    }
    wrap_bonds(s.bonds[D - 1] + s.word(row, 0), s.lattice.row_tiles());
}

template <bool Draws>
void process_rows(const SlabView& s, ThreadPart& mine, Range rows) {
    for (std::uint64_t row = rows.first; row < rows.last; ++row)
        if (s.lattice.dimensions == 2)
            process_row<2, Draws>(s, mine, static_cast<std::int64_t>(row));
        else
            process_row<3, Draws>(s, mine, static_cast<std::int64_t>(row));
}

void count_spins(const SlabView& s) {
    in_team(s.thread_count, [&](int thread) {
        ThreadPart& mine = s.threads[thread];
        mine.satisfied = mine.up = 0;
        process_rows<false>(s, mine, mine.rows);
    });
}

}  // namespace

void draw_rows(const SlabView& s, ThreadPart& mine, Range rows) { process_rows<true>(s, mine, rows); }

void draw_entering_rows(const SlabView& s) {
    for (auto row = -static_cast<std::int64_t>(s.lattice.rows_per_layer()); row < 0; ++row)
        if (s.lattice.dimensions == 2)
            draw_entering<2>(s, row);
        else
            draw_entering<3>(s, row);
}

void fill_bonds(SweepKernels& table) { table.count_spins = count_spins; }

}  // namespace strata::swendsen_wang::STRATA_ISA
