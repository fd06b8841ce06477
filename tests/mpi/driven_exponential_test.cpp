// SPDX-License-Identifier: BSD-3-Clause
// Evolution under a driven dense matrix whose rows are distributed over the ranks of this run, against a Runge-Kutta method on
// the whole matrix.
#include <gtest/gtest.h>

#include "krylov/driven_exponential.hpp"
#include "support/dense_operator.hpp"
#include "support/world.hpp"

namespace strata::krylov {
namespace {

constexpr std::size_t matrix_rows = 24;

/// A complex Hermitian matrix without symmetry.
Complex generic(std::size_t i, std::size_t j) {
    if (i > j) return std::conj(generic(j, i));
    const auto x = static_cast<double>(3 * i * i + 7 * j * j + i * j + 1);
    return i == j ? Complex(4 * std::sin(x)) : Complex(std::cos(1.3 * x), std::sin(0.7 * x));
}

Complex shaking(std::size_t i, std::size_t j) { return generic(i + 2, j + 2) * 0.5; }
double shaken(double t) { return 0.4 + 0.9 * std::cos(5 * t); }

/// psi after `time` under H + f(t) V, by 4000 steps of the classical Runge-Kutta method.
std::vector<Complex> by_runge_kutta(std::vector<Complex> psi, double time) {
    constexpr int steps = 4000;
    const double h = time / steps;
    std::vector<Complex> of_h(matrix_rows * matrix_rows), of_v(matrix_rows * matrix_rows);
    for (std::size_t i = 0; i < matrix_rows * matrix_rows; ++i)
        of_h[i] = generic(i / matrix_rows, i % matrix_rows), of_v[i] = shaking(i / matrix_rows, i % matrix_rows);
    const auto slope = [&](double t, const std::vector<Complex>& x) {
        std::vector<Complex> out(matrix_rows);
        for (std::size_t i = 0; i < matrix_rows; ++i)
            for (std::size_t j = 0; j < matrix_rows; ++j)
                out[i] += Complex(0, -1) * (of_h[i * matrix_rows + j] + shaken(t) * of_v[i * matrix_rows + j]) * x[j];
        return out;
    };
    const auto moved = [&](double part, const std::vector<Complex>& k) {
        std::vector<Complex> x = psi;
        for (std::size_t i = 0; i < matrix_rows; ++i) x[i] += part * h * k[i];
        return x;
    };
    for (int step = 0; step < steps; ++step) {
        const double t = step * h;
        const std::vector<Complex> a = slope(t, psi), b = slope(t + h / 2, moved(0.5, a)),
                                   c = slope(t + h / 2, moved(0.5, b)), d = slope(t + h, moved(1, c));
        for (std::size_t i = 0; i < matrix_rows; ++i) psi[i] += h / 6 * (a[i] + 2.0 * (b[i] + c[i]) + d[i]);
    }
    return psi;
}

/// The error never exceeds its bound, which is not far too large, for loose tolerances, whose errors are no rounding.
TEST(DrivenExponential, ErrorsStayWithinTheirBounds) {
    constexpr double time = 0.7, norm = 50;
    DenseOperator op(world(), matrix_rows, generic), drive(world(), matrix_rows, shaking);
    op.allocate();
    drive.allocate();
    std::vector<Complex> expected;
    for (const double tolerance : {1e-3, 1e-6, 1e-9}) {
        const auto series = [](const Propagator::Interval& within, double length, std::size_t count) {
            FactorSeries f{.terms = {0.4}, .rest = 0};
            Complex term = std::polar(0.9, 5 * within.begin);
            for (std::size_t j = 0; j < count; ++j, term *= Complex(0, 5 * length) / static_cast<double>(j)) {
                if (j > 0) f.terms.push_back(0);
                f.terms[j] += term.real();
                f.rest = std::abs(term) * 5 * length / static_cast<double>(j + 1);
                if (j + 1 == count) break;
            }
            return f;
        };
        Timers timers;
        DrivenExponential driven(op,
                                 {{&drive.w(), [&] { drive.apply(drive.w()); }, drive.offset(), norm, norm, series}},
                                 20, {.dimension = 10, .tolerance = tolerance}, timers);
        driven.allocate();
        DistributedVector psi = op.space().vector();
        op.draw(psi, 7);
        op.space().axpby(1 / op.space().norm(psi), psi, 0, psi, psi);
        if (expected.empty()) expected = by_runge_kutta(op.all(psi), time);
        double done = 0, bound = 0;
        int pieces = 0;
        for (; done < time * (1 - 1e-12); ++pieces) {
            while (!driven.expand(psi, {done, time - done})) {
            }
            const Propagator::Piece piece = driven.advance(psi, {done, time - done});
            done += piece.time;
            bound += piece.error;
        }
        EXPECT_GT(pieces, 2);
        EXPECT_LE(bound, tolerance * pieces);
        const std::vector<Complex> found = op.all(psi);
        double square = 0;
        for (std::size_t i = 0; i < matrix_rows; ++i) square += std::norm(found[i] - expected[i]);
        EXPECT_LE(std::sqrt(square), bound + 1e-10) << tolerance;
        if (tolerance > 1e-7) {
            EXPECT_GE(std::sqrt(square), 1e-3 * bound) << tolerance;
        }
    }
}

}  // namespace
}  // namespace strata::krylov
