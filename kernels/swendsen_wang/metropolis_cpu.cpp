// SPDX-License-Identifier: BSD-3-Clause
// Metropolis update of one colour of the checkerboard, tile row by tile row. New spins go to a second array, so that no
// thread reads a word that another one writes.
#include "kernels/swendsen_wang/metropolis.hpp"

#include "kernels/swendsen_wang/neighbours_simd.hpp"
#include "kernels/swendsen_wang/sweep_kernels.hpp"
#include "strata/parallel.hpp"

namespace strata::swendsen_wang::STRATA_ISA {
namespace {

/// column[t - 1], ...; the last tile is before the first one.
inline Words from_previous_column(const std::uint64_t* column, std::uint64_t t, std::uint64_t tiles) {
    if (t > 0) return load(column + t - 1);
    Words w = {column[tiles - 1]};
    for (int i = 1; i < lanes; ++i) w[i] = column[i - 1];
    return w;
}

/// Bonds of tiles along one axis, at the lower one of their two sites.
struct BondsOfTiles {
    Words satisfied, missing;
};

/// Counts the bonds along one axis: `own` are those of the tiles themselves, `entering` those from the previous tiles,
/// at the first sites of these tiles.
inline void count_along(BondCounts<Words>& counts, const BondsOfTiles& own, const BondsOfTiles& entering, Words last,
                        std::uint64_t stride) {
    counts.add(own.satisfied, own.missing);
    counts.add((own.satisfied & ~last) << stride | entering.satisfied, entering.missing);
}

/// Satisfied and missing bonds among `sites`, with `equal` spins; `across`: sites whose bond crosses the lattice's end.
inline BondsOfTiles bonds_of(const Couplings& c, Words equal, Words sites, Words across, int axis, Words even) {
    if (c.uniform) return {equal & sites, Words{}};
    return {with_couplings(c, equal, sites, across, axis, even),
            c.boundary[axis] == Boundary::open ? across & sites : Words{}};
}

/// The update of one tile row.
template <int D>
class RowUpdate {
  public:
    RowUpdate(const SlabView& s, std::int64_t row)
        : s_(s),
          row_(row),
          tiles_(s.lattice.row_tiles()),
          spins_(s.spins[0] + s.word(row, 0)),
          in_row_(set(row_sites(s.lattice, row))),
          first_half_(2 * s.lattice.first_tile(row)) {
        for (int axis = 1; axis < D; ++axis) {
            const std::int64_t before = s.lattice.previous_row(row, axis);
            next_[axis] = row_boundary(s, row, axis);
            previous_[axis] = row_boundary(s, before, axis);
            previous_sites_[axis] = set(row_sites(s.lattice, before));
        }
    }

    void run(const MetropolisTable& table, int colour) const {
        std::uint64_t* next = s_.next_spins + s_.word(row_, 0);
        const Words coloured = set(sites_of_colour(D, colour));
        for (std::uint64_t t = 0; t < tiles_; t += lanes) {
            const Words here = load(spins_ + t), sites = load(s_.column_sites + t) & in_row_;
            const Words even = set(first_half_ + 2 * t) + ramp(2);
            BondCounts<Words> counts;
            count_x(counts, here, sites, t, even);
            for (int axis = 1; axis < D; ++axis) count(counts, axis, sites, t, even);
            const LaneDraws draws{TileRandom(even, even + 1, s_.sweep.index, s_.sweep.seed), Purpose::metropolis};
            store(next + t, here ^ draw_flips(table, counts, here, sites & coloured, draws));
        }
        next[tiles_] = next[0];  // the periodic right neighbour of the last tile
    }

  private:
    void count_x(BondCounts<Words>& counts, Words here, Words sites, std::uint64_t t, Words even) const {
        const Words first = set(first_sites(D, 0)), last = load(s_.column_last + t);
        const BondsOfTiles own = bonds_of(s_.sweep.couplings, equal_along_x(s_, s_.word(row_, 0), first, t), sites,
                                          end_of_row(s_, t), 0, even);
        // the last sites of the previous tiles and the first ones of these
        const Words shift = from_previous_column(s_.column_shift, t, tiles_);
        const Words from = first << shift & in_row_;
        const Words before = from_previous_column(spins_, t, tiles_);
        Words half = even - 2, across = {};
        if (t == 0) {
            half[0] = first_half_ + 2 * (tiles_ - 1);
            across[0] = from[0];
        }
        const BondsOfTiles of_previous =
            bonds_of(s_.sweep.couplings, ~(before ^ (here & first) << shift), from, across, 0, half);
        count_along(counts, own, {of_previous.satisfied >> shift, of_previous.missing >> shift}, last, 1);
    }

    void count(BondCounts<Words>& counts, int axis, Words sites, std::uint64_t t, Words even) const {
        const RowBoundary &next = next_[axis], &previous = previous_[axis];
        const BondsOfTiles own = bonds_of(s_.sweep.couplings, equal_across(s_, s_.word(row_, 0), next, t), sites,
                                          across_end(next) & sites, axis, even);
        const std::int64_t before = s_.lattice.previous_row(row_, axis);
        const Words from = load(s_.column_sites + t) & previous_sites_[axis] & previous.last;
        const Words half = set(2 * s_.lattice.first_tile(before) + 2 * t) + ramp(2);
        const BondsOfTiles of_previous = bonds_of(s_.sweep.couplings, equal_across(s_, s_.word(before, 0), previous, t),
                                                  from, across_end(previous) & from, axis, half);
        count_along(counts, own, {of_previous.satisfied >> previous.shift, of_previous.missing >> previous.shift},
                    next.last, next.stride);
    }

    const SlabView& s_;
    const std::int64_t row_;
    const std::uint64_t tiles_;
    const std::uint64_t* spins_;
    const Words in_row_;
    const std::uint64_t first_half_;  ///< half tiles before this tile row
    RowBoundary next_[D], previous_[D];
    Words previous_sites_[D];
};

template <int D>
void update_rows(const SlabView& s, const MetropolisTable& table, int colour) {
    in_team(s.thread_count, [&](int thread) {
        const Range rows = s.threads[thread].rows;
        for (std::uint64_t row = rows.first; row < rows.last; ++row)
            RowUpdate<D>(s, static_cast<std::int64_t>(row)).run(table, colour);
    });
}

void update_colour(const SlabView& s, const MetropolisTable& table, int colour) {
    if (s.lattice.dimensions == 2)
        update_rows<2>(s, table, colour);
    else
        update_rows<3>(s, table, colour);
}

}  // namespace

void fill_metropolis(SweepKernels& table) { table.update_colour = update_colour; }

}  // namespace strata::swendsen_wang::STRATA_ISA
