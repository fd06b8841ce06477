// SPDX-License-Identifier: BSD-3-Clause
// The product of a term that consists of scaled copies, in both directions. Copies of a term do not overlap.
#pragma once

#include <algorithm>

#include "kernels/kronecker/block_product.hpp"
#include "superblock/rank_blocks.hpp"

namespace strata::superblock {

using kronecker::Update;

/// The copy of the opposite direction.
inline PatchCopy transposed(const PatchCopy& c) {
    return {{{c.from_row, c.from_row + c.to.rows.size()}, {c.from_column, c.from_column + c.to.columns.size()}},
            c.to.rows.first,
            c.to.columns.first,
            c.factor};
}

/// Computes the columns `columns` of the result from the whole patch `x`; `y` points to the first of these columns.
/// `to` and `from`: shapes of the result and of `x`. `orientation`: transposed reverses the direction of the listed
/// copies.
template <class Real>
void copy_product(const std::vector<PatchCopy>& copies, Orientation orientation, PatchShape to, PatchShape from,
                  const Real* x, const Range& columns, Real* y, Update update) {
    if (update == Update::set) std::fill_n(y, columns.size() * to.r, Real(0));
    for (const PatchCopy& copy : copies) {
        const PatchCopy c = orientation == Orientation::as_listed ? copy : transposed(copy);
        const auto factor = static_cast<Real>(c.factor);
        const std::uint64_t rows = c.to.rows.size();
        for (std::uint64_t a = std::max(c.to.columns.first, columns.first);
             a < std::min(c.to.columns.last, columns.last); ++a) {
            const Real* in = x + (c.from_column + a - c.to.columns.first) * from.r + c.from_row;
            Real* out = y + (a - columns.first) * to.r + c.to.rows.first;
            for (std::uint64_t p = 0; p < rows; ++p) out[p] += factor * in[p];
        }
    }
}

}  // namespace strata::superblock
