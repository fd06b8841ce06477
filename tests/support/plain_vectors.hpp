// SPDX-License-Identifier: BSD-3-Clause
// Kernels of vectors (kernels/vectors) against plain loops over complex or real numbers, bit by bit.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <memory>
#include <vector>

#include "kernels/vectors/vector_kernels.hpp"

namespace strata::vectors {

/// Places tables and vectors where the kernels of the host read and write them: where they are.
struct HostCopies {
    template <class T>
    T* in(std::vector<T>& x) {
        return x.data();
    }
    template <class T>
    void out(std::vector<T>&) {}
};

/// A number of a vector: a real one, or a pair; products of complex numbers are rounded operation by operation.
template <class Real>
struct PlainNumber {
    Real re = 0, im = 0;
};
/// sum + z x, first with the real part of z, then with i times x and the imaginary part.
template <class Real>
PlainNumber<Real> add_times(PlainNumber<Real> sum, double re, double im, PlainNumber<Real> x) {
    const Real a = static_cast<Real>(re) * x.re, b = static_cast<Real>(re) * x.im;
    sum = {sum.re + a, sum.im + b};
    if (im == 0) return sum;
    const Real c = static_cast<Real>(im) * -x.im, d = static_cast<Real>(im) * x.re;
    return {sum.re + c, sum.im + d};
}

/// Sum of term(e) over `size` reals by eight accumulators.
template <class Term>
double plain_sum(std::uint64_t size, Term term) {
    double sums[accumulators] = {};
    for (std::uint64_t e = 0; e < size; ++e) sums[e % accumulators] += term(e);
    for (unsigned distance = accumulators / 2; distance != 0; distance /= 2)
        for (unsigned i = 0; i < distance; ++i) sums[i] += sums[i + distance];
    return sums[0];
}

/// Vectors of segments of all lengths from 0 to 40 (pairs where the numbers are complex), so that they start at any
/// address and leave any remainder, and of segments of equal length.
template <class Backend, class Real, class Copies>
void expect_plain(const VectorKernels<Backend, Real>& kernels, Arithmetic arithmetic, const Workers<Backend>& workers,
                  double* scratch, Copies copies) {
    const bool complex = arithmetic == Arithmetic::complex;
    const std::uint64_t step = complex ? 2 : 1;
    std::vector<std::uint64_t> begins = {0};
    for (std::uint64_t length = 0; length <= 40; length += step) begins.push_back(begins.back() + length);
    const std::uint64_t count = begins.size() - 1;
    std::uint64_t seed = 0;
    const auto numbers = [&seed](std::uint64_t size) {
        std::vector<Real> x(size);
        ++seed;
        for (std::uint64_t i = 0; i < size; ++i)
            x[i] = static_cast<Real>(std::sin(static_cast<double>(seed) + 12.9 * static_cast<double>(i * i)));
        return x;
    };
    const auto number = [&](const std::vector<Real>& x, std::uint64_t e) {  // that has the real e
        return complex ? PlainNumber<Real>{x[e / 2 * 2], x[e / 2 * 2 + 1]} : PlainNumber<Real>{x[e], 0};
    };
    const auto part = [&](const PlainNumber<Real>& n, std::uint64_t e) { return complex && e % 2 == 1 ? n.im : n.re; };
    for (const bool equal : {false, true}) {
        const Segments segments = equal ? Segments::equal(5, 48) : Segments{count, begins.back(), 0, copies.in(begins)};
        const auto begin = [&](std::uint64_t s) { return equal ? s * 48 : begins[s]; };
        const std::uint64_t size = segments.reals;
        std::vector<std::vector<Real>> v;
        for (int i = 0; i < 4; ++i) v.push_back(numbers(size));
        const std::vector<std::vector<Real>> old = v;
        std::vector<Real*> at;
        for (std::vector<Real>& x : v) at.push_back(copies.in(x));
        const auto expect_vector = [&](std::size_t i, auto expected, const char* what) {
            copies.out(v[i]);
            for (std::uint64_t e = 0; e < size; ++e) ASSERT_EQ(v[i][e], expected(e)) << what << " " << e;
        };

        // products: of pairs, the square and the sum of a vector
        std::vector<Pair<Real>> pairs = {{at[0], at[1]}, {at[1], at[1]}};
        if (!complex) pairs.push_back({at[2], nullptr});
        const std::uint64_t width = step * pairs.size() + 1;
        std::vector<double> sums(segments.count * width, -7);
        double* in_memory = copies.in(sums);
        kernels.dots(workers, segments, {}, copies.in(pairs), pairs.size(), in_memory, width);
        copies.out(sums);
        const std::pair<int, int> factors[] = {{0, 1}, {1, 1}, {2, -1}};
        for (std::uint64_t s = 0; s < segments.count; ++s) {
            const std::uint64_t first = begin(s), length = begin(s + 1) - first;
            for (std::size_t i = 0; i < pairs.size(); ++i) {
                const auto& x = old[static_cast<std::size_t>(factors[i].first)];
                const auto y = [&](std::uint64_t e) {
                    return factors[i].second < 0
                               ? 1.0
                               : static_cast<double>(old[static_cast<std::size_t>(factors[i].second)][e]);
                };
                ASSERT_EQ(sums[s * width + step * i], plain_sum(length, [&](std::uint64_t e) {
                              return static_cast<double>(x[first + e]) * y(first + e);
                          }));
                if (complex) {
                    ASSERT_EQ(sums[s * width + 2 * i + 1], plain_sum(length, [&](std::uint64_t e) {
                                  const PlainNumber<Real> n = number(x, first + e);
                                  return static_cast<double>(e % 2 == 0 ? -n.im : n.re) * y(first + e);
                              }));
                }
            }
            ASSERT_EQ(sums[s * width + width - 1], -7);
        }

        // a x + b y in place, with its square
        const Factor a = {0.3, complex ? -0.7 : 0}, b = {-1.7, 0};
        const auto combined = [&](std::uint64_t e) {
            const PlainNumber<Real> ax = add_times({}, a.re, a.im, number(old[0], e)),
                                    by = add_times({}, b.re, b.im, number(old[1], e));
            return part(ax, e) + part(by, e);
        };
        kernels.axpby(workers, segments, a, at[0], b, at[1], at[0], in_memory, 1);
        copies.out(sums);
        expect_vector(0, combined, "a x + b y");
        for (std::uint64_t s = 0; s < segments.count; ++s)
            ASSERT_EQ(sums[s], plain_sum(begin(s + 1) - begin(s), [&](std::uint64_t e) {
                          const double value = static_cast<double>(combined(begin(s) + e));
                          return value * value;
                      }));

        // x minus two vectors, and its product with one of them
        std::vector<const Real*> basis = {at[2], at[3]};
        std::vector<double> c = {0.4, complex ? 0.9 : 0, -1.1, 0};
        const auto reduced = [&](std::uint64_t e) {
            const PlainNumber<Real> once = add_times(number(old[1], e), -c[0], -c[1], number(old[2], e));
            return part(add_times(once, -c[2], -c[3], number(old[3], e)), e);
        };
        const Subtraction<Real> subtraction = {copies.in(basis), copies.in(c), 2, at[1]};
        std::vector<Pair<Real>> after = {{at[1], at[1]}};
        kernels.dots(workers, segments, subtraction, copies.in(after), 1, in_memory, step);
        copies.out(sums);
        expect_vector(1, reduced, "difference");
        for (std::uint64_t s = 0; s < segments.count; ++s)
            ASSERT_EQ(sums[s * step], plain_sum(begin(s + 1) - begin(s), [&](std::uint64_t e) {
                          const double value = static_cast<double>(reduced(begin(s) + e));
                          return value * value;
                      }));

        // two sums of all four vectors, in doubles
        std::vector<double> turn;
        for (int i = 0; i < 8; ++i) turn.insert(turn.end(), {std::sin(i), complex ? std::cos(3 * i) : 0});
        const std::vector<std::vector<Real>> before = v;
        const auto rotated = [&](std::size_t j) {
            return [&, j](std::uint64_t e) {
                PlainNumber<double> sum;
                for (std::size_t i = 0; i < 4; ++i) {
                    const PlainNumber<Real> n = number(before[i], e);
                    sum = add_times<double>(sum, turn[2 * (4 * j + i)], turn[2 * (4 * j + i) + 1], {n.re, n.im});
                }
                return static_cast<Real>(complex && e % 2 == 1 ? sum.im : sum.re);
            };
        };
        kernels.rotate(workers, segments, copies.in(at), 4, copies.in(turn), 2, scratch);
        expect_vector(0, rotated(0), "rotated");
        expect_vector(1, rotated(1), "rotated");

        // the vectors of a step
        const std::vector<Real> x = v[2], y = v[3];
        kernels.advance(workers, segments, Real(0.7), Real(-0.2), Real(1.3), at[2], at[3]);
        expect_vector(
            2, [&](std::uint64_t e) { return Real(1.3) * x[e]; }, "v");
        expect_vector(
            3,
            [&](std::uint64_t e) {
                const Real scaled = Real(0.7) * y[e], added = Real(-0.2) * x[e];
                return scaled + added;
            },
            "w");
        kernels.clear(workers, segments, at[2]);
        expect_vector(
            2, [](std::uint64_t) { return Real(0); }, "0");
    }
}

}  // namespace strata::vectors
