// SPDX-License-Identifier: BSD-3-Clause
// Elements are uniform in (-1, 1) times a factor. The norm of an m x n matrix of uniform elements is about
// (sqrt(m) + sqrt(n)) / sqrt(3), and a sum of K independent products grows as sqrt(K): after division by both, every
// block has a norm of order 1 for all M and K.
#include "kronecker/physics/random_operators.hpp"

#include <algorithm>
#include <cmath>

#include "strata/random_purpose.hpp"
#include "strata/rng.hpp"

namespace strata::kronecker {
namespace {

/// Factor that makes the norm of an m x n matrix of uniform numbers about 1.
double normalisation(std::uint64_t m, std::uint64_t n) {
    return std::sqrt(3.0) / (std::sqrt(static_cast<double>(m)) + std::sqrt(static_cast<double>(n)));
}

}  // namespace

void RandomOperators::left(std::size_t term, std::uint64_t k, const superblock::Rectangle& part,
                           double* elements) const {
    const superblock::Term& t = target_.terms[term];
    fill(term, k, Side::left, part, normalisation(target_.layout[t.i].l, target_.layout[t.j].l), elements);
}

void RandomOperators::right(std::size_t term, std::uint64_t k, const superblock::Rectangle& part,
                            double* elements) const {
    const superblock::Term& t = target_.terms[term];
    const double norm = normalisation(target_.layout[t.i].r, target_.layout[t.j].r);
    fill(term, k, Side::right, part, norm / std::sqrt(static_cast<double>(t.operators)), elements);
}

void RandomOperators::fill(std::size_t term, std::uint64_t k, Side side, const superblock::Rectangle& part,
                           double factor, double* elements) const {
    constexpr auto purpose = static_cast<std::uint32_t>(RandomPurpose::kronecker_operator);
    const bool symmetric = target_.terms[term].diagonal();
    // the counter has 24 bits for each of row and column, and 16 for k and the side
    const std::uint32_t which = static_cast<std::uint32_t>(k) << 1 | static_cast<std::uint32_t>(side);
    const std::uint32_t low = which << 24, high = which >> 8 << 24;
    for (std::uint64_t c = part.columns.first; c < part.columns.last; ++c)
        for (std::uint64_t a = part.rows.first; a < part.rows.last; ++a) {
            const std::uint64_t row = symmetric ? std::min(a, c) : a, column = symmetric ? std::max(a, c) : c;
            const Philox4x32 words =
                philox(seed_, {static_cast<std::uint32_t>(row) | low, static_cast<std::uint32_t>(column) | high,
                               static_cast<std::uint32_t>(term), purpose});
            const std::uint64_t bits = std::uint64_t{words[1]} << 32 | words[0];
            *elements++ = factor * (std::ldexp(static_cast<double>(bits >> 11), -52) - 1);
        }
}

}  // namespace strata::kronecker
