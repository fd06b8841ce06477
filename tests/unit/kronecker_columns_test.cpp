// SPDX-License-Identifier: BSD-3-Clause
// Scalar products of columns and differences of vectors in every instruction set against plain loops, bit by bit.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "kernels/kronecker/column_core.hpp"
#include "kernels/kronecker/column_vectors.hpp"

namespace strata::kronecker {
namespace {

template <class Real>
std::vector<Real> numbers(std::size_t size, double seed) {
    std::vector<Real> x(size);
    for (std::size_t i = 0; i < size; ++i) x[i] = static_cast<Real>(std::sin(seed + 12.9 * static_cast<double>(i * i)));
    return x;
}

/// Columns of all lengths from 0 to 40, so that they start at any address and leave any remainder.
std::vector<std::uint64_t> column_begins() {
    std::vector<std::uint64_t> begin = {0};
    for (std::uint64_t length = 0; length <= 40; ++length) begin.push_back(begin.back() + length);
    return begin;
}

template <class Real>
void expect_plain_dots(const ColumnKernels<Real>& kernels) {
    const std::vector<std::uint64_t> begin = column_begins();
    const std::uint64_t columns = begin.size() - 1;
    const std::vector<Real> a = numbers<Real>(begin.back(), 1), b = numbers<Real>(begin.back(), 2);
    const std::vector<ColumnPair<Real>> pairs = {{a.data(), b.data()}, {b.data(), b.data()}, {a.data(), a.data()}};
    std::vector<double> sums(columns * pairs.size(), -7);
    kernels.dots(begin.data(), {2, columns}, pairs, sums.data());
    for (std::uint64_t c = 0; c < columns; ++c)
        for (std::size_t i = 0; i < pairs.size(); ++i) {
            const double expected = column_sum(begin[c + 1] - begin[c], [&](std::uint64_t e) {
                return static_cast<double>(pairs[i].x[begin[c] + e]) * static_cast<double>(pairs[i].y[begin[c] + e]);
            });
            EXPECT_EQ(sums[c * pairs.size() + i], c < 2 ? -7 : expected) << "column " << c << ", pair " << i;
        }
}

template <class Real>
void expect_plain_differences(const ColumnKernels<Real>& kernels) {
    const std::vector<Real> a = numbers<Real>(101, 1), b = numbers<Real>(101, 2), before = numbers<Real>(101, 3);
    const std::vector<const Real*> x = {a.data(), b.data()};
    const std::vector<Real> factors = {Real(0.3), Real(-1.7)};
    std::vector<Real> y = before;
    kernels.subtract({5, 98}, x, factors, y.data());
    for (std::size_t e = 0; e < y.size(); ++e) {
        Real expected = before[e];
        for (std::size_t i = 0; i < 2 && e >= 5 && e < 98; ++i) {
            const Real product = factors[i] * x[i][e];
            expected -= product;
        }
        EXPECT_EQ(y[e], expected) << e;
    }
}

template <class Real>
void expect_plain_columns() {
    for (const ColumnKernels<Real>& kernels : column_variants<Real>()) {
        SCOPED_TRACE(kernels.name);
        expect_plain_dots(kernels);
        expect_plain_differences(kernels);
    }
}

TEST(KroneckerColumns, AreThoseOfPlainLoopsInEveryInstructionSet) {
    expect_plain_columns<double>();
    expect_plain_columns<float>();
}

}  // namespace
}  // namespace strata::kronecker
