// SPDX-License-Identifier: BSD-3-Clause
// Elements are uniform in (-1, 1) times a factor. The norm of an m x n matrix of uniform elements is about
// (sqrt(m) + sqrt(n)) / sqrt(3), and a sum of K independent products grows as sqrt(K): with these divided out every
// block has a norm of order 1, whatever M and K are.
#include "kronecker/random_operators.hpp"

#include <algorithm>
#include <cmath>

#include "strata/random_purpose.hpp"
#include "strata/rng.hpp"

namespace strata::kronecker {

void RandomOperators::left(std::size_t term, std::uint32_t k, std::span<double> elements) const {
    fill(term, k, Side::left, elements);
}

void RandomOperators::right(std::size_t term, std::uint32_t k, std::span<double> elements) const {
    fill(term, k, Side::right, elements);
}

void RandomOperators::fill(std::size_t term, std::uint32_t k, Side side, std::span<double> elements) const {
    constexpr auto purpose = static_cast<std::uint32_t>(RandomPurpose::kronecker_operator);
    const Term& t = target_.terms[term];
    const Patch &i = target_.layout[t.i], &j = target_.layout[t.j];
    const std::uint64_t rows = side == Side::left ? i.columns : i.rows,
                        columns = side == Side::left ? j.columns : j.rows;
    const double norm = std::sqrt(static_cast<double>(rows)) + std::sqrt(static_cast<double>(columns));
    const double factor = std::sqrt(side == Side::left ? 3.0 : 3.0 / t.operators) / norm;
    // 24 bits of the row and the column each, 16 of k and the side
    const std::uint32_t which = k << 1 | static_cast<std::uint32_t>(side);
    const std::uint32_t low = which << 24, high = which >> 8 << 24;
    for (std::uint64_t c = 0; c < columns; ++c)
        for (std::uint64_t a = 0; a < rows; ++a) {
            const std::uint64_t row = t.diagonal() ? std::min(a, c) : a, column = t.diagonal() ? std::max(a, c) : c;
            const Philox4x32 words =
                philox(seed_, {static_cast<std::uint32_t>(row) | low, static_cast<std::uint32_t>(column) | high,
                               static_cast<std::uint32_t>(term), purpose});
            const std::uint64_t bits = std::uint64_t{words[1]} << 32 | words[0];
            elements[c * rows + a] = factor * (std::ldexp(static_cast<double>(bits >> 11), -52) - 1);
        }
}

}  // namespace strata::kronecker
