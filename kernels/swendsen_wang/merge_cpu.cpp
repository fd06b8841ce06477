// SPDX-License-Identifier: BSD-3-Clause
// Union of the tiles' open components across tile faces. Parents always have smaller ids and ids follow the canonical
// order, so a cluster's root is its canonical root. Within a thread's rows: staged pairs, then Rem's union with
// splicing. Between threads' rows: compare-and-swap of a root's parent, the paper's atomic minimum.
#include <omp.h>

#include "kernels/swendsen_wang/faces.hpp"
#include "kernels/swendsen_wang/sweep_kernels.hpp"
#include "kernels/swendsen_wang/unite.hpp"

namespace strata::swendsen_wang::STRATA_ISA {
namespace {

/// Stages the pairs of one face of one tile; returns how many (at most 16).
inline int stage(const SliceView& s, std::uint64_t here, std::uint64_t there, std::uint64_t face, std::uint64_t shift,
                 std::uint32_t* a, std::uint32_t* b) {
    constexpr std::uint64_t ahead = 24;  // tiles; each line of codes is used by all faces of its tile
    __builtin_prefetch(s.codes + 64 * (here + ahead));
    __builtin_prefetch(s.codes + 64 * (there + ahead));
    return append_pairs(face, shift, s.codes + 64 * here, s.base[here], s.codes + 64 * there, s.base[there], a, b);
}

/// A thread's list of pairs, handed to `Unite` when it is full.
template <auto Unite>
class PairList {
  public:
    PairList(const SliceView& s, const ThreadSlice& mine) : s_(s), a_(mine.pair_a), b_(mine.pair_b) {}
    ~PairList() { flush(); }
    PairList(const PairList&) = delete;
    PairList& operator=(const PairList&) = delete;

    void add(std::uint64_t here, std::uint64_t there, std::uint64_t face, std::uint64_t shift) {
        count_ += static_cast<std::uint64_t>(stage(s_, here, there, face, shift, a_ + count_, b_ + count_));
        if (count_ > staged_pairs - 32) flush();
    }
    void flush() {
        Unite(s_.parent, a_, b_, count_);
        count_ = 0;
    }

  private:
    const SliceView& s_;
    std::uint32_t *a_, *b_;
    std::uint64_t count_ = 0;
};

template <int D, auto Unite>
void stage_x(const SliceView& s, std::uint64_t row, const Columns& columns, std::uint64_t* faces,
             PairList<Unite>& list) {
    row_faces<D>(s, static_cast<std::int64_t>(row), 0, static_cast<std::int64_t>(row), columns, faces);
    const std::uint64_t tiles = s.lattice.row_tiles();
    for (std::uint64_t t = 0; t + 1 < tiles; ++t)
        list.add(s.number(row, t), s.number(row, t + 1), faces[t], columns.shift[t]);
    list.add(s.number(row, tiles - 1), s.number(row, 0), faces[tiles - 1], columns.shift[tiles - 1]);
}

template <int D, auto Unite>
void stage_across(const SliceView& s, std::uint64_t row, int axis, std::int64_t partner, const Columns& columns,
                  std::uint64_t* faces, PairList<Unite>& list) {
    const auto r = static_cast<std::int64_t>(row);
    row_faces<D>(s, r, axis, partner, columns, faces);
    const std::uint64_t shift = (row_width(s.lattice, r, axis) - 1) * static_cast<std::uint64_t>(stride_of(D, axis));
    const std::uint64_t here = s.number(row, 0), there = s.number(static_cast<std::uint64_t>(partner), 0);
    for (std::uint64_t t = 0; t < s.lattice.row_tiles(); ++t) list.add(here + t, there + t, faces[t], shift);
}

bool holds(const ThreadSlice& mine, std::int64_t row) {
    return row >= 0 && mine.rows.contains(static_cast<std::uint64_t>(row));
}

/// All faces between rows of this thread.
template <int D>
void merge_rows(const SliceView& s, ThreadSlice& mine) {
    const Columns columns = prepare_columns<D>(s.lattice, mine.row_words);
    std::uint64_t* faces = mine.row_words + 2 * s.lattice.row_stride();
    PairList<unite_own> list(s, mine);
    for (std::uint64_t row = mine.rows.first; row < mine.rows.last; ++row) {
        stage_x<D>(s, row, columns, faces, list);
        for (int axis = 1; axis < D; ++axis) {
            const std::int64_t partner = partner_row(s.lattice, static_cast<std::int64_t>(row), axis);
            if (partner != no_row && holds(mine, partner)) stage_across<D>(s, row, axis, partner, columns, faces, list);
        }
    }
}

/// The faces from this thread's rows to those of others.
template <int D>
void join_rows(const SliceView& s, ThreadSlice& mine) {
    const Columns columns = prepare_columns<D>(s.lattice, mine.row_words);
    std::uint64_t* faces = mine.row_words + 2 * s.lattice.row_stride();
    PairList<unite_shared> list(s, mine);
    for (std::uint64_t row = mine.rows.first; row < mine.rows.last; ++row)
        for (int axis = 1; axis < D; ++axis) {
            const std::int64_t partner = partner_row(s.lattice, static_cast<std::int64_t>(row), axis);
            if (partner != no_row && !holds(mine, partner))
                stage_across<D>(s, row, axis, partner, columns, faces, list);
        }
}

template <class Body2, class Body3>
void for_threads(const SliceView& s, Body2 two, Body3 three) {
#pragma omp parallel num_threads(s.thread_count)
    {
        ThreadSlice& mine = s.threads[omp_get_thread_num()];
        if (s.lattice.dimensions == 2)
            two(s, mine);
        else
            three(s, mine);
    }
}

}  // namespace

void merge_tiles(const SliceView& s) { for_threads(s, merge_rows<2>, merge_rows<3>); }

void join_threads(const SliceView& s) {
    if (s.thread_count > 1) for_threads(s, join_rows<2>, join_rows<3>);
}

}  // namespace strata::swendsen_wang::STRATA_ISA
