// SPDX-License-Identifier: BSD-3-Clause
// Union of the tiles' boundary components across tile boundaries. Parents have smaller ids than their children and ids
// follow the order of minimal sites, so the root of a cluster is the component that holds its minimal site. Pairs of
// ids are staged in a list first. Within a thread's tile rows they are united by Rem's algorithm, between the rows of
// different threads by compare-and-swap, the atomic minimum of Wende and Steinke (SC13, Listing 4).
#include "kernels/swendsen_wang/band_kernels.hpp"
#include "kernels/swendsen_wang/boundary_pairs_simd.hpp"
#include "kernels/swendsen_wang/sweep_kernels.hpp"
#include "kernels/swendsen_wang/tile_boundaries.hpp"
#include "kernels/swendsen_wang/unite.hpp"
#include "strata/parallel.hpp"

namespace strata::swendsen_wang::STRATA_ISA {
namespace {

/// List of pairs of one thread, which is passed to `Unite` when it is full and at the end.
template <auto Unite>
class PairList {
  public:
    PairList(const SlabView& s, const ThreadPart& mine) : s_(s), a_(mine.pair_a), b_(mine.pair_b) {}
    ~PairList() { flush(); }
    PairList(const PairList&) = delete;
    PairList& operator=(const PairList&) = delete;

    /// Adds the pairs of components that bonds across a boundary along `Axis` unite, for `tiles` tiles from number
    /// `here` on, whose
    /// neighbours across it are those from number `there` on: bonds[t] in the bits of the sites in tile here + t, which
    /// lie shift(t) bits above their sites in the other tile.
    template <int D, int Axis, class Shift>
    void add(std::uint64_t here, std::uint64_t there, std::uint64_t tiles, const std::uint64_t* bonds, Shift shift) {
        const std::uint8_t *from = s_.component + 64 * here, *to = s_.component + 64 * there;
        const std::uint32_t *from_id = s_.first_id + here, *to_id = s_.first_id + there;
        std::uint64_t count = count_;
        for (std::uint64_t t = 0; t < tiles; ++t) {
            count += static_cast<std::uint64_t>(append_pairs<D, Axis>(bonds[t], shift(t), {from + 64 * t, from_id[t]},
                                                                      {to + 64 * t, to_id[t]}, a_ + count, b_ + count));
            if (count > staged_pairs - 32) {
                count_ = count;
                flush();
                count = 0;
            }
        }
        count_ = count;
    }
    void flush() {
        Unite(s_.parent, a_, b_, count_);
        count_ = 0;
    }

  private:
    const SlabView& s_;
    std::uint32_t *a_, *b_;
    std::uint64_t count_ = 0;
};

/// Stages the pairs across the boundaries along x of one tile row. `bonds` is scratch for a row of words.
template <int D, auto Unite>
void stage_x(const SlabView& s, std::uint64_t row, std::uint64_t* bonds, PairList<Unite>& list) {
    boundary_bonds_of_row<D>(s, static_cast<std::int64_t>(row), 0, static_cast<std::int64_t>(row), bonds);
    const std::uint64_t end = s.lattice.row_tiles() - 1, first = s.index_of(row, 0);
    const auto shift = [&](std::uint64_t t) { return s.column_shift[t]; };
    list.template add<D, 0>(first, first + 1, end, bonds, shift);
    list.template add<D, 0>(first + end, first, 1, bonds + end, [&](std::uint64_t) { return shift(end); });
}

/// Stages the pairs across the boundaries from tile row `row` to tile row `next`, which follows it along `Axis`.
template <int D, int Axis, auto Unite>
void stage_across(const SlabView& s, std::uint64_t row, std::uint64_t next, std::uint64_t* bonds,
                  PairList<Unite>& list) {
    const auto r = static_cast<std::int64_t>(row);
    boundary_bonds_of_row<D>(s, r, Axis, static_cast<std::int64_t>(next), bonds);
    const auto shift = static_cast<std::uint64_t>(s.lattice.boundary_shift(r, Axis));
    list.template add<D, Axis>(s.index_of(row, 0), s.index_of(next, 0), s.lattice.row_tiles(), bonds,
                               [shift](std::uint64_t) { return shift; });
}

template <int D>
void unite_band(const SlabView& s, const ThreadPart& mine, Range rows) {
    const std::uint64_t per_layer = s.lattice.rows_per_layer();
    PairList<unite_own> list(s, mine);
    for (std::uint64_t row = rows.first; row < rows.last; ++row) {
        stage_x<D>(s, row, mine.row_words, list);
        if (D == 3) {
            const std::int64_t next = s.lattice.next_row(static_cast<std::int64_t>(row), 1);
            stage_across<D, 1>(s, row, static_cast<std::uint64_t>(next), mine.row_words, list);
        }
        if (row >= mine.rows.first + per_layer) stage_across<D, D - 1>(s, row - per_layer, row, mine.row_words, list);
    }
}

/// Unites components across the boundaries from this thread's last tile layer to the next thread's first one. If the
/// slab is the whole lattice, its first tile layer follows its last one.
template <int D, auto Unite>
void unite_last_layer(const SlabView& s, const ThreadPart& mine) {
    const std::uint64_t per_layer = s.lattice.rows_per_layer(), rows = s.lattice.rows();
    const bool whole = s.lattice.layers.size() == s.lattice.all_layers();
    if (mine.rows.empty() || (mine.rows.last == rows && !whole)) return;
    PairList<Unite> list(s, mine);
    for (std::uint64_t row = mine.rows.last - per_layer; row < mine.rows.last; ++row)
        stage_across<D, D - 1>(s, row, (row + per_layer) % rows, mine.row_words, list);
}

template <int D>
void unite_layers(const SlabView& s) {
    if (s.thread_count == 1)
        unite_last_layer<D, unite_own>(s, s.threads[0]);
    else
        in_team(s.thread_count, [&](int thread) { unite_last_layer<D, unite_shared>(s, s.threads[thread]); });
}

void unite_across_threads(const SlabView& s) {
    if (s.lattice.dimensions == 2)
        unite_layers<2>(s);
    else
        unite_layers<3>(s);
}

}  // namespace

void unite_rows(const SlabView& s, const ThreadPart& mine, Range rows) {
    if (s.lattice.dimensions == 2)
        unite_band<2>(s, mine, rows);
    else
        unite_band<3>(s, mine, rows);
}

void fill_unions(SweepKernels& table) { table.unite_across_threads = unite_across_threads; }

}  // namespace strata::swendsen_wang::STRATA_ISA
