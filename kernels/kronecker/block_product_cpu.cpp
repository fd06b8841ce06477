// SPDX-License-Identifier: BSD-3-Clause
// Product of one block, some columns of the result at a time, in two phases with scratch memory V between them:
//
//     left    V = A~ X^T, contraction over the columns c of A (forward) or its rows a (backward)
//     right   Y = B V, contraction over (q, k); vectors along p, scalars from V
//
//     phase            vectors along      scalars from    V
//     left forward     rows m of A~       X               [q][m]
//     left backward    operators k        X               [p][m']   if K' fills vectors; m' = K' c + k
//     left backward    rows p of X        A~              [m'][p]   otherwise; m' = K c + k
//
// The first two use full vectors for any r; the third and the right phase round r up to parts of vectors.
#include <algorithm>

#include "kernels/instruction_sets.hpp"
#include "kernels/kronecker/block_product.hpp"
#include "kernels/kronecker/register_tile.hpp"

namespace strata::kronecker::STRATA_ISA {
namespace {

/// Largest number of steps of a left phase before the next tile, so that the data of a tile stays in the first-level
/// cache.
constexpr std::uint64_t max_steps = 128;

/// Scratch memory V(q, k, a) as the right phase reads it: strides of q, of k and of a column.
template <class Real>
struct Intermediate {
    const Real* at;
    std::ptrdiff_t q, k, column;
};

/// One direction of one product.
template <class Real>
class Product {
    static constexpr std::uint64_t panel = BlockLayout<Real>::panel, vector = BlockLayout<Real>::vector;
    static constexpr std::uint64_t row_columns = max_scalars(max_vectors) >= 8 ? 8 : 4;
    /// 2 where tiles of two vectors have as many sums as those of three.
    static constexpr int pair = 2 * max_scalars(2) >= 3 * max_scalars(3) ? 2 : 1;

  public:
    Product(const BlockProduct<Real>& args, PatchShape to, PatchShape from)
        : args_(args),
          layout_(args.layout),
          to_(to),
          from_(from),
          operators_(layout_.shape().operators),
          stride_(layout_.row_stride()),
          prefetch_(args.prefetch, steps()) {}

    void forward() {
        const bool identity = layout_.shape().left == Factor::identity;
        const auto chunk = identity ? args_.columns.size() : chunk_columns(layout_);
        if (!identity) copy_source(max_scalars(max_vectors));
        for_columns(chunk, [&](Range columns) {
            finish(columns, identity ? in_place(columns) : left_forward(columns), Right::forward);
        });
    }
    void backward() {
        const bool identity = layout_.shape().left == Factor::identity;
        const bool by_operators = stride_ % lanes<Real> == 0;
        const auto chunk = identity ? args_.columns.size() : chunk_columns(layout_);
        if (!identity && by_operators) copy_source(max_scalars(max_vectors / vectors_together() * vectors_together()));
        for_columns(chunk, [&](Range columns) {
            finish(columns,
                   identity       ? in_place(columns)
                   : by_operators ? left_by_operators(columns)
                                  : left_by_rows(columns),
                   Right::backward);
        });
    }

  private:
    enum class Right { forward, backward };

    /// Approximate number of steps of all tiles.
    std::uint64_t steps() const {
        const std::uint64_t n = args_.columns.size();
        const std::uint64_t left = ceil_div(n * stride_, panel) * ceil_div(from_.r, max_scalars(max_vectors)) * from_.l;
        const std::uint64_t right =
            ceil_div(to_.r, panel) * ceil_div(n, max_scalars(max_vectors)) * from_.r * operators_;
        constexpr std::uint64_t tiles_per_panel = 64 / register_bytes;
        return tiles_per_panel * ((layout_.shape().left == Factor::dense ? left : 0) +
                                  (layout_.shape().right == Factor::dense ? right : 0));
    }

    /// Calls f(range) for all columns, in ranges of about equal size, at most `chunk` (rounded up to chunk_step)
    /// columns each.
    template <class F>
    void for_columns(std::uint64_t chunk, F f) {
        const std::uint64_t n = args_.columns.size(), step = chunk_step(layout_);
        if (n == 0) return;
        const std::uint64_t size = ceil_div(ceil_div(n, ceil_div(n, chunk)), step) * step;
        for (std::uint64_t a = args_.columns.first; a < args_.columns.last; a += size)
            f(Range{a, std::min(a + size, args_.columns.last)});
    }

    /// Copies the source in the order in which tiles of `rows` rows read it, unless there are too few columns to pay
    /// for it: [slice of steps][tile][step][row of the tile].
    void copy_source(std::uint64_t rows) {
        rows_of_tile_ = rows;
        if (args_.columns.size() * stride_ < 32 * panel) return;
        Real* const copy = args_.workspace + scratch_reals(layout_);
        for_parts(from_.l, max_steps, [&](std::uint64_t c, std::uint64_t n) {
            for_parts(from_.r, rows, [&](std::uint64_t q, std::uint64_t count) {
                Real* to = copy + c * from_.r + q * n;
                for (std::uint64_t i = 0; i < n; ++i) to = std::copy_n(args_.x + q + (c + i) * from_.r, count, to);
            });
        });
        copy_ = copy;
    }
    /// Scalars of the source for a tile of `rows` rows from q on, in the slice of `steps` steps from c on.
    Adjacent<Real, 1> source(std::uint64_t q, std::uint64_t rows, std::uint64_t c, std::uint64_t steps) const {
        if (copy_ == nullptr) return {args_.x + q + c * from_.r, std::ptrdiff_t(from_.r)};
        return {copy_ + c * from_.r + q * steps, std::ptrdiff_t(rows)};
    }

    /// For an identity on the left, the source itself takes the place of V.
    Intermediate<Real> in_place(Range columns) const {
        const auto r = static_cast<std::ptrdiff_t>(from_.r);
        return {args_.x + from_.r * columns.first, 1, 0, r};
    }

    /// V(q, m) = sum_c A~(m, c) X(q, c) for the vectors of m that contain the columns.
    Intermediate<Real> left_forward(Range columns) {
        const std::uint64_t first = (columns.first - layout_.own().first) * stride_;
        const std::uint64_t last = (columns.last - layout_.own().first) * stride_;
        const std::uint64_t begin = first / vector * vector, end = ceil_div(last, vector) * vector;
        for_parts(from_.l, max_steps, [&](std::uint64_t c, std::uint64_t n) {
            for (std::uint64_t m = begin; m < end;) {
                const std::uint64_t i = m / panel, in_panel = m % panel, width = layout_.left_width(i);
                const std::uint64_t count = std::min(width - in_panel, end - m);
                const Real* a = args_.pool + layout_.left_panel_begin(i) + c * width + in_panel;
                left_forward_panel(a, width, count, c, n, args_.workspace + (m - begin));
                m += count;
            }
        });
        return {args_.workspace + (first - begin), v_stride(), 1, static_cast<std::ptrdiff_t>(stride_)};
    }
    void left_forward_panel(const Real* a, std::uint64_t width, std::uint64_t count, std::uint64_t c, std::uint64_t n,
                            Real* v) {
        for_parts(count / lanes<Real>, max_vectors, [&](std::uint64_t first, std::uint64_t vectors) {
            for_parts(from_.r, rows_of_tile_, [&](std::uint64_t q, std::uint64_t rows) {
                with_tile<max_scalars(1), register_parts>(
                    int(vectors) * register_parts, int(rows), [&]<int P, int N>() {
                        tile<P, N, Real>(
                            {1, n, n}, Adjacent<Real, lanes<Real>>{a + first * lanes<Real>, std::ptrdiff_t(width)},
                            source(q, rows, c, n),
                            Scratch<Real>{v + first * lanes<Real> + q * v_stride(), v_stride(), lanes<Real>, c != 0},
                            prefetch_);
                    });
            });
        });
    }

    /// Sets the offsets of some rows of A~, from operator k on.
    void locate_rows(Range rows, std::uint64_t k) {
        const std::uint64_t to_next_panel = panel * (layout_.left_columns() - 1);
        std::uint64_t m = rows.first * stride_ + k;
        for (std::uint64_t i = 0; i < rows.size(); ++i, m += stride_)
            row_offsets_[i] = std::ptrdiff_t(m + m / panel * to_next_panel);
    }
    /// Positions in the rows of locate_rows from a column on, and their number of steps. `columns`: number of columns
    /// that one tile reads.
    template <int Operators>
    std::pair<Steps, RowWalk<Real, Operators>> row_walk(Range rows, std::uint64_t k, std::uint64_t column,
                                                        std::uint64_t columns) const {
        const std::uint64_t last_panel = layout_.left_panels() - 1, last_width = layout_.left_width(last_panel);
        const std::uint64_t before = last_width == panel ? layout_.left_rows() : last_panel * panel;
        const std::uint64_t full = before > k ? std::min(from_.l, ceil_div(before - k, stride_)) : 0;
        const std::uint64_t wide = rows.first < full ? std::min(rows.last, full) - rows.first : 0;
        const std::uint64_t size = rows.size(), width = wide == 0 ? last_width : panel;
        const Steps steps = wide == 0 || wide == size ? Steps{1, size, size} : Steps{2, wide, size - wide};
        const bool in_second_cache = layout_.reals() * sizeof(Real) < args_.second_cache;
        const Real* left = args_.pool + layout_.left_panel_begin(0);
        return {steps,
                {row_offsets_, left + column * width, std::ptrdiff_t(width), left + column * last_width,
                 std::ptrdiff_t(last_width), in_second_cache ? 0 : std::ptrdiff_t(columns)}};
    }

    /// Number of vectors of operators of one element of A that a tile reads: 3, or a pair, if they fill a tile.
    int vectors_together() const {
        return stride_ % (3 * lanes<Real>) == 0 ? 3 : stride_ % (pair * lanes<Real>) == 0 ? pair : 1;
    }
    /// V(p, m') = sum_a A~(m, c) X(p, a); vectors are the operators k of one element of A.
    Intermediate<Real> left_by_operators(Range columns) {
        const int together = vectors_together();
        if (together == 3)
            left_by_operators<3>(columns);
        else if (together == pair)
            left_by_operators<pair>(columns);
        else
            left_by_operators<1>(columns);
        return {args_.workspace, v_stride(), 1, static_cast<std::ptrdiff_t>(stride_)};
    }
    /// `Together`: number of vectors of operators of one element that a tile reads.
    template <int Together>
    void left_by_operators(Range columns) {
        for_parts(from_.l, max_steps, [&](std::uint64_t a, std::uint64_t rows) {
            for (std::uint64_t k = 0; k < stride_; k += Together * lanes<Real>) {
                locate_rows({a, a + rows}, k);
                for_parts(columns.size(), max_vectors / Together, [&](std::uint64_t c, std::uint64_t n) {
                    const auto [steps, walk] = row_walk<Together>({a, a + rows}, k, columns.first + c, n);
                    left_by_operators_panel(walk, int(n), a, rows, steps, args_.workspace + c * stride_ + k);
                });
            }
        });
    }
    template <int Together>
    void left_by_operators_panel(const RowWalk<Real, Together>& walk, int columns, std::uint64_t a, std::uint64_t rows,
                                 const Steps& steps, Real* v) {
        const int vectors = columns * Together;
        const std::ptrdiff_t apart = Together == 1 ? std::ptrdiff_t(stride_) : lanes<Real>;
        for_parts(from_.r, rows_of_tile_, [&](std::uint64_t p, std::uint64_t n) {
            with_tile<max_scalars(1), register_parts * Together>(vectors * register_parts, int(n), [&]<int P, int N>() {
                tile<P, N, Real>(steps, walk, source(p, n, a, rows),
                                 Scratch<Real>{v + p * v_stride(), v_stride(), apart, a != 0}, prefetch_);
            });
        });
    }

    /// V(m', p) = sum_a A~(m, c) X(p, a); vectors are rows p of X.
    Intermediate<Real> left_by_rows(Range columns) {
        if (row_columns == 8 && operators_ % 8 == 0)
            left_by_rows<row_columns>(columns);
        else if (operators_ % 4 == 0)
            left_by_rows<4>(columns);
        else if (operators_ % 2 == 0)
            left_by_rows<2>(columns);
        else
            left_by_rows<1>(columns);
        return {args_.workspace, 1, std::ptrdiff_t(padded_r()), std::ptrdiff_t(padded_r() * operators_)};
    }
    template <int Operators>
    void left_by_rows(Range columns) {
        constexpr std::uint64_t at_once = row_columns / Operators;
        for_parts(from_.l, max_steps, [&](std::uint64_t a, std::uint64_t rows) {
            for (std::uint64_t k = 0; k < operators_; k += Operators) {
                locate_rows({a, a + rows}, k);
                for_parts(columns.size(), at_once, [&](std::uint64_t c, std::uint64_t n) {
                    const auto [steps, walk] = row_walk<Operators>({a, a + rows}, k, columns.first + c, n);
                    left_by_rows_panel(walk, int(n), a, steps, args_.workspace + (c * operators_ + k) * padded_r());
                });
            }
        });
    }
    template <int Operators>
    void left_by_rows_panel(const RowWalk<Real, Operators>& walk, int columns, std::uint64_t a, const Steps& steps,
                            Real* v) {
        const auto r = std::ptrdiff_t(padded_r());
        for_row_registers<Real>(from_.r, [&](std::uint64_t p, int parts) {
            with_tile<row_columns / Operators, 1>(parts, columns, [&]<int P, int N>() {
                tile<P, N * Operators, Real>(
                    steps, matrix_rows<P, Real>(args_.x + p + a * from_.r, std::ptrdiff_t(from_.r), from_.r - p), walk,
                    Scratch<Real, Operators>{v + p, r * std::ptrdiff_t(operators_), lanes<Real>, a != 0, r}, prefetch_);
            });
        });
    }
    /// Right phase: the result from V.
    void finish(Range columns, const Intermediate<Real>& v, Right direction) {
        Real* y = args_.y + to_.r * (columns.first - args_.columns.first);
        if (layout_.shape().right == Factor::identity) return copy(columns.size(), v, y);
        const bool forward = direction == Right::forward;
        const std::uint64_t panels = forward ? layout_.forward_panels() : layout_.backward_panels();
        for (std::uint64_t i = 0; i < panels; ++i) {
            const Real* b = args_.pool + (forward ? layout_.forward_panel_begin(i) : layout_.backward_panel_begin(i));
            const std::uint64_t width = forward ? layout_.forward_width(i) : layout_.backward_width(i);
            right_panel(b, width, columns.size(), v, i * panel, y);
        }
    }
    void right_panel(const Real* b, std::uint64_t width, std::uint64_t columns, const Intermediate<Real>& v,
                     std::uint64_t p, Real* y) {
        const bool one = operators_ == 1;
        const Steps steps = one ? Steps{1, from_.r, from_.r} : Steps{from_.r, operators_, operators_};
        const Strided<Real> scalars{v.at, v.column, one ? v.q : v.k, v.q - std::ptrdiff_t(operators_) * v.k};
        for_row_registers<Real>(std::min(width, to_.r - p), [&](std::uint64_t first, int parts) {
            const std::uint64_t row = p + first;
            for_parts(columns, max_scalars(vectors_of(parts)), [&](std::uint64_t a, std::uint64_t n) {
                Strided<Real> at = scalars;
                at.at += std::ptrdiff_t(a) * v.column;
                with_tile<max_scalars(1), 1>(parts, int(n), [&]<int P, int N>() {
                    tile<P, N, Real>(
                        steps, Adjacent<Real, lanes<Real>>{b + first, std::ptrdiff_t(width)}, at,
                        Rows<Real>{y + row + a * to_.r, std::ptrdiff_t(to_.r), int(to_.r - row), args_.update},
                        prefetch_);
                });
            });
        });
    }
    void copy(std::uint64_t columns, const Intermediate<Real>& v, Real* y) const {
        for (std::uint64_t a = 0; a < columns; ++a)
            for (std::uint64_t p = 0; p < to_.r; ++p) {
                const Real value = v.at[std::ptrdiff_t(p) * v.q + std::ptrdiff_t(a) * v.column];
                Real& out = y[p + to_.r * a];
                out = args_.update == Update::set ? value : out + value;
            }
    }

    std::ptrdiff_t v_stride() const { return std::ptrdiff_t(scratch_rows(layout_)); }
    std::uint64_t padded_r() const { return ceil_div(from_.r, vector) * vector; }

    const BlockProduct<Real>& args_;
    const BlockLayout<Real>& layout_;
    PatchShape to_, from_;
    std::uint64_t operators_, stride_;
    PacedPrefetch prefetch_;
    const Real* copy_ = nullptr;  ///< copy of the source, by tiles of rows_of_tile_ rows; null: none
    std::uint64_t rows_of_tile_ = 1;
    std::ptrdiff_t row_offsets_[max_steps];
};

template <class Real>
void forward(const BlockProduct<Real>& args) {
    Product<Real>(args, args.layout.shape().to, args.layout.shape().from).forward();
}
template <class Real>
void backward(const BlockProduct<Real>& args) {
    Product<Real>(args, args.layout.shape().from, args.layout.shape().to).backward();
}

}  // namespace

// Part of the table that another file fills.
template <class Real>
void fill_gemm(BlockKernels<Real>&);

}  // namespace strata::kronecker::STRATA_ISA

namespace strata::kronecker {

template <class Real>
BlockKernels<Real> block_kernels(instruction_set::STRATA_ISA set) {
    BlockKernels<Real> table = {};
    table.name = set.name;
    table.forward = STRATA_ISA::forward;
    table.backward = STRATA_ISA::backward;
    STRATA_ISA::fill_gemm(table);
    return table;
}
template BlockKernels<double> block_kernels<double>(instruction_set::STRATA_ISA);
template BlockKernels<float> block_kernels<float>(instruction_set::STRATA_ISA);

}  // namespace strata::kronecker
