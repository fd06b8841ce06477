// SPDX-License-Identifier: BSD-3-Clause
// One block of a target Hamiltonian, C_IJ = sum_k A_k x B_k, and the layout of its operators in the pool. Patch vectors
// are matrices with r rows and l columns, r fast: Y_I (r_I x l_I) += sum_k B_k (r_I x r_J) X_J (r_J x l_J) A_k^T.
//
// The K left operators are stored as one matrix with rows m = K' a + k, so that every vector of reals is full whatever
// K is. 3 vectors of m are a panel, and a panel holds them for one column c after the other:
//
//     panel 0   c = 0: m = 0 1 2 ... P-1 | c = 1: m = 0 1 2 ... P-1 | ... | c = l_J - 1       P = 24 doubles, 48 floats
//     panel 1   c = 0: m = P ...    2P-1 | c = 1: ...                                         (the last panel: 1, 2 or
//     ...                                                                                      3 vectors)
//
// For example with K = 4, m = 0..3 are the four operators of row a = 0, m = 4..7 those of a = 1. K' is K, or K + 1
// where that fills vectors. Right operators are stored likewise in panels of P rows p, [panel][q][k][p in panel];
// blocks for both directions also store them transposed, [panel][p][k][q in panel]. The pool of a block is
//
//     | right forward | right backward | left |
//
// without gaps, and blocks follow each other in the order in which they are used: a multiply reads memory in order.
#pragma once

#include <cstdint>

#include "strata/partition.hpp"

namespace strata::kronecker {

/// Rows r and columns l of a patch vector.
struct PatchShape {
    std::uint64_t r = 0, l = 0;

    constexpr std::uint64_t size() const { return r * l; }
    friend constexpr bool operator==(const PatchShape&, const PatchShape&) = default;
};

/// An identity needs neither memory nor operations. Its block has K = 1: sum_k 1 x B_k is 1 x (sum_k B_k).
enum class Factor { dense, identity };

/// Forward: Y_I from X_J. Both: also Y_J from X_I with the same operators, which needs all rows of A.
enum class Directions { forward, both };

struct BlockShape {
    PatchShape to, from;           ///< shapes of Y_I and X_J
    std::uint64_t operators = 1;   ///< K
    Factor left = Factor::dense;   ///< A; an identity needs l_I = l_J
    Factor right = Factor::dense;  ///< B; an identity needs r_I = r_J

    /// Operations for `columns` columns of the result of one direction, with r_X x l_X the shape of the source: 2 K
    /// columns (r_I r_J + r_X l_X), without the terms of identities. An addition and a multiplication count as two.
    constexpr double flops_forward(std::uint64_t columns) const { return flops(from.r, from.l, columns); }
    constexpr double flops_backward(std::uint64_t columns) const { return flops(to.r, to.l, columns); }

  private:
    constexpr double flops(std::uint64_t source_r, std::uint64_t source_l, std::uint64_t columns) const {
        const auto left_work = left == Factor::dense ? double(source_r) * double(source_l) : 0.0;
        const auto right_work = right == Factor::dense ? double(to.r) * double(from.r) : 0.0;
        return 2.0 * double(operators) * double(columns) * (left_work + right_work);
    }
};

/// Positions of the operators of a block, in reals from the beginning of its pool, which is aligned to 64 bytes.
template <class Real>
class BlockLayout {
  public:
    static constexpr std::uint64_t vector = 64 / sizeof(Real), panel = 3 * vector;

    BlockLayout() = default;
    /// Layout that stores the rows `own` of A, a range in [0, l_I); both directions need all rows.
    BlockLayout(const BlockShape& shape, Range own, Directions directions)
        : shape_(shape), own_(own), directions_(directions) {}
    BlockLayout(const BlockShape& shape, Directions directions) : BlockLayout(shape, {0, shape.to.l}, directions) {}

    const BlockShape& shape() const { return shape_; }
    Range own() const { return own_; }
    Directions directions() const { return directions_; }

    /// Reals of the pool of the block, a multiple of 64 bytes.
    std::uint64_t reals() const { return left_begin() + left_panels_end(); }

    /// K': rows m of the fused left matrix per row a.
    std::uint64_t row_stride() const {
        const std::uint64_t k = shape_.operators;
        return k % vector == vector - 1 ? k + 1 : k;
    }
    /// Number of stored rows m.
    std::uint64_t left_rows() const { return shape_.left == Factor::dense ? row_stride() * own_.size() : 0; }
    std::uint64_t left_panels() const { return (left_rows() + panel - 1) / panel; }
    /// Reals per column c of a panel: `panel`, but fewer in the last panel.
    std::uint64_t left_width(std::uint64_t index) const { return width(left_rows(), index); }
    /// Number of columns for which a panel has memory: one more than l_J where panels would lie a multiple of 3 KiB
    /// apart, since the backward product reads panel after panel, and their columns would be mapped to the same sets of
    /// the cache.
    std::uint64_t left_columns() const { return shape_.from.l + (shape_.from.l % 16 == 0 ? 1 : 0); }
    std::uint64_t left_panel_begin(std::uint64_t index) const { return left_begin() + index * panel * left_columns(); }
    /// Position of A_k(a, c), a in `own`.
    std::uint64_t left_index(std::uint64_t k, std::uint64_t a, std::uint64_t c) const {
        const std::uint64_t m = row_stride() * (a - own_.first) + k;
        return left_panel_begin(m / panel) + c * left_width(m / panel) + m % panel;
    }

    std::uint64_t forward_panels() const { return panels(shape_.to.r); }
    std::uint64_t backward_panels() const { return panels(shape_.from.r); }
    std::uint64_t forward_width(std::uint64_t index) const { return width(shape_.to.r, index); }
    std::uint64_t backward_width(std::uint64_t index) const { return width(shape_.from.r, index); }
    std::uint64_t forward_panel_begin(std::uint64_t index) const {
        return index * panel * shape_.operators * shape_.from.r;
    }
    std::uint64_t backward_panel_begin(std::uint64_t index) const {
        return forward_reals() + index * panel * shape_.operators * shape_.to.r;
    }
    /// Position of B_k(p, q) for the forward and for the backward product.
    std::uint64_t forward_index(std::uint64_t k, std::uint64_t p, std::uint64_t q) const {
        const std::uint64_t i = p / panel;
        return forward_panel_begin(i) + (q * shape_.operators + k) * forward_width(i) + p % panel;
    }
    std::uint64_t backward_index(std::uint64_t k, std::uint64_t p, std::uint64_t q) const {
        const std::uint64_t i = q / panel;
        return backward_panel_begin(i) + (p * shape_.operators + k) * backward_width(i) + q % panel;
    }

  private:
    static constexpr std::uint64_t padded(std::uint64_t rows) { return (rows + vector - 1) / vector * vector; }
    static constexpr std::uint64_t panels(std::uint64_t rows) { return (rows + panel - 1) / panel; }
    static constexpr std::uint64_t width(std::uint64_t rows, std::uint64_t index) {
        const std::uint64_t rest = padded(rows) - index * panel;
        return rest < panel ? rest : panel;
    }
    std::uint64_t right_reals(std::uint64_t rows, std::uint64_t contracted) const {
        return shape_.right == Factor::dense ? padded(rows) * shape_.operators * contracted : 0;
    }
    std::uint64_t forward_reals() const { return right_reals(shape_.to.r, shape_.from.r); }
    std::uint64_t left_begin() const {
        return forward_reals() + (directions_ == Directions::both ? right_reals(shape_.from.r, shape_.to.r) : 0);
    }
    std::uint64_t left_panels_end() const { return padded(left_rows()) * left_columns(); }

    BlockShape shape_;
    Range own_;
    Directions directions_ = Directions::forward;
};

/// Fills `panels` of the left operators; element(k, a, c) is A_k(a, c). Panels are independent: threads can fill
/// different ones, and a page is placed in the memory next to the thread that writes it first.
template <class Real, class Element>
void pack_left(const BlockLayout<Real>& layout, Range panels, Element element, Real* pool) {
    const std::uint64_t stride = layout.row_stride(), rows = layout.left_rows();
    for (std::uint64_t i = panels.first; i < panels.last; ++i) {
        Real* out = pool + layout.left_panel_begin(i);
        const std::uint64_t width = layout.left_width(i);
        for (std::uint64_t c = 0; c < layout.left_columns(); ++c)
            for (std::uint64_t lane = 0; lane < width; ++lane) {
                const std::uint64_t m = i * layout.panel + lane, k = m % stride;
                const bool stored = m < rows && k < layout.shape().operators && c < layout.shape().from.l;
                *out++ = stored ? static_cast<Real>(element(k, layout.own().first + m / stride, c)) : Real(0);
            }
    }
}

/// Fills the right operators for the directions of the block; element(k, p, q) is B_k(p, q).
template <class Real, class Element>
void pack_right(const BlockLayout<Real>& layout, Element element, Real* pool) {
    const BlockShape& shape = layout.shape();
    if (shape.right == Factor::identity) return;
    const auto fill = [&](std::uint64_t panels, auto width, auto begin, std::uint64_t rows, std::uint64_t contracted,
                          auto value) {
        for (std::uint64_t i = 0; i < panels; ++i) {
            Real* out = pool + begin(i);
            for (std::uint64_t j = 0; j < contracted; ++j)
                for (std::uint64_t k = 0; k < shape.operators; ++k)
                    for (std::uint64_t lane = 0; lane < width(i); ++lane) {
                        const std::uint64_t row = i * layout.panel + lane;
                        *out++ = row < rows ? static_cast<Real>(value(k, row, j)) : Real(0);
                    }
        }
    };
    fill(
        layout.forward_panels(), [&](std::uint64_t i) { return layout.forward_width(i); },
        [&](std::uint64_t i) { return layout.forward_panel_begin(i); }, shape.to.r, shape.from.r, element);
    if (layout.directions() == Directions::forward) return;
    fill(
        layout.backward_panels(), [&](std::uint64_t i) { return layout.backward_width(i); },
        [&](std::uint64_t i) { return layout.backward_panel_begin(i); }, shape.from.r, shape.to.r,
        [&](std::uint64_t k, std::uint64_t q, std::uint64_t p) { return element(k, p, q); });
}

}  // namespace strata::kronecker
