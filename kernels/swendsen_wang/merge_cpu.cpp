// SPDX-License-Identifier: BSD-3-Clause
// Union of the tiles' open components across tile faces. Parents always have smaller ids and ids follow the canonical
// order, so a cluster's root is its canonical root. Within a thread's rows: staged pairs, then Rem's union with
// splicing. Between threads' rows: compare-and-swap of a root's parent, the paper's atomic minimum.
#include <omp.h>

#include "kernels/swendsen_wang/band_kernels.hpp"
#include "kernels/swendsen_wang/faces.hpp"
#include "kernels/swendsen_wang/sweep_kernels.hpp"
#include "kernels/swendsen_wang/unite.hpp"

namespace strata::swendsen_wang::STRATA_ISA {
namespace {

/// Stages the pairs of one face of one tile; returns how many (at most 16).
inline int stage(const SliceView& s, std::uint64_t here, std::uint64_t there, std::uint64_t face, std::uint64_t shift,
                 std::uint32_t* a, std::uint32_t* b) {
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
void stage_x(const SliceView& s, std::uint64_t row, std::uint64_t* faces, PairList<Unite>& list) {
    row_faces<D>(s, static_cast<std::int64_t>(row), 0, static_cast<std::int64_t>(row), faces);
    const std::uint64_t end = s.lattice.row_tiles() - 1;
    for (std::uint64_t t = 0; t < end; ++t)
        list.add(s.number(row, t), s.number(row, t + 1), faces[t], s.column_shift[t]);
    list.add(s.number(row, end), s.number(row, 0), faces[end], s.column_shift[end]);
}

/// The faces from `row` to the row `next` on its positive side along `axis`.
template <int D, auto Unite>
void stage_across(const SliceView& s, std::uint64_t row, std::uint64_t next, int axis, std::uint64_t* faces,
                  PairList<Unite>& list) {
    const auto r = static_cast<std::int64_t>(row);
    row_faces<D>(s, r, axis, static_cast<std::int64_t>(next), faces);
    const std::uint64_t shift = (row_width(s.lattice, r, axis) - 1) * static_cast<std::uint64_t>(stride_of(D, axis));
    const std::uint64_t here = s.number(row, 0), there = s.number(next, 0);
    for (std::uint64_t t = 0; t < s.lattice.row_tiles(); ++t) list.add(here + t, there + t, faces[t], shift);
}

template <int D>
void merge_band(const SliceView& s, const ThreadSlice& mine, Range rows) {
    const std::uint64_t per_layer = s.lattice.rows_per_layer();
    PairList<unite_own> list(s, mine);
    for (std::uint64_t row = rows.first; row < rows.last; ++row) {
        stage_x<D>(s, row, mine.row_words, list);
        if (D == 3) {
            const std::int64_t next = s.lattice.next_row(static_cast<std::int64_t>(row), 1);
            stage_across<D>(s, row, static_cast<std::uint64_t>(next), 1, mine.row_words, list);
        }
        if (row >= mine.rows.first + per_layer) stage_across<D>(s, row - per_layer, row, D - 1, mine.row_words, list);
    }
}

/// The faces from this thread's last layer to the next thread's first one; from the slice's last layer to its first
/// one if the slice is the whole lattice.
template <int D, auto Unite>
void join_last_layer(const SliceView& s, const ThreadSlice& mine) {
    const std::uint64_t per_layer = s.lattice.rows_per_layer(), rows = s.lattice.rows();
    const bool whole = s.lattice.layers.size() == s.lattice.all_layers();
    if (mine.rows.empty() || (mine.rows.last == rows && !whole)) return;
    PairList<Unite> list(s, mine);
    for (std::uint64_t row = mine.rows.last - per_layer; row < mine.rows.last; ++row)
        stage_across<D>(s, row, (row + per_layer) % rows, D - 1, mine.row_words, list);
}

template <int D>
void join_layers(const SliceView& s) {
    if (s.thread_count == 1) {
        join_last_layer<D, unite_own>(s, s.threads[0]);
        return;
    }
#pragma omp parallel num_threads(s.thread_count)
    join_last_layer<D, unite_shared>(s, s.threads[omp_get_thread_num()]);
}

}  // namespace

void merge_rows(const SliceView& s, const ThreadSlice& mine, Range rows) {
    if (s.lattice.dimensions == 2)
        merge_band<2>(s, mine, rows);
    else
        merge_band<3>(s, mine, rows);
}

void join_threads(const SliceView& s) {
    if (s.lattice.dimensions == 2)
        join_layers<2>(s);
    else
        join_layers<3>(s);
}

}  // namespace strata::swendsen_wang::STRATA_ISA
