// SPDX-License-Identifier: BSD-3-Clause
// States exp(-H/2T) |r> of recurrences with all steps and with fewer, against the exponential of a dense matrix; averages of
// operators in them, their errors, and what few steps leave out.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>

#include "lanczos/physics/observed_averages.hpp"
#include "strata/standard_error.hpp"

namespace strata::lanczos {
namespace {

using Vector = std::vector<double>;
constexpr std::size_t matrix_rows = 12;

/// Numbers without a pattern, in [-1, 1].
double number(std::size_t i) {
    const double x = std::numbers::pi * static_cast<double>((i + 1) * (i + 7)) * std::sqrt(2.0);
    return 2 * (x - std::floor(x)) - 1;
}

/// A real symmetric matrix.
struct Matrix {
    explicit Matrix(std::size_t seed) {
        for (std::size_t i = 0; i < matrix_rows; ++i)
            for (std::size_t j = 0; j <= i; ++j)
                a[i * matrix_rows + j] = a[j * matrix_rows + i] = number(seed + i * matrix_rows + j);
    }
    Vector operator*(const Vector& x) const {
        Vector y(matrix_rows);
        for (std::size_t i = 0; i < matrix_rows; ++i)
            for (std::size_t j = 0; j < matrix_rows; ++j) y[i] += a[i * matrix_rows + j] * x[j];
        return y;
    }
    Vector a = Vector(matrix_rows * matrix_rows);
};

double dot(const Vector& x, const Vector& y) {
    double sum = 0;
    for (std::size_t i = 0; i < matrix_rows; ++i) sum += x[i] * y[i];
    return sum;
}
Vector scaled(double factor, Vector x) {
    for (double& c : x) c *= factor;
    return x;
}
Vector sum(Vector x, double factor, const Vector& y) {
    for (std::size_t i = 0; i < matrix_rows; ++i) x[i] += factor * y[i];
    return x;
}

/// A recurrence of m steps with its vectors, orthogonalised twice.
struct KeptRecurrence {
    KeptRecurrence(const Matrix& h, const Vector& r, std::size_t m) {
        Vector v = scaled(1 / std::sqrt(dot(r, r)), r);
        for (std::size_t k = 0; k < m; ++k) {
            vectors.push_back(v);
            Vector w = h * v;
            alpha.push_back(dot(v, w));
            for (int pass = 0; pass < 2; ++pass)
                for (const Vector& u : vectors) w = sum(w, -dot(u, w), u);
            beta.push_back(std::sqrt(dot(w, w)));
            v = scaled(1 / beta.back(), w);
        }
    }
    krylov::TridiagonalPairs pairs() const { return krylov::all_pairs(alpha, beta); }
    Vector combined(const std::vector<double>& c) const {
        Vector x(matrix_rows);
        for (std::size_t k = 0; k < c.size(); ++k) x = sum(x, c[k], vectors[k]);
        return x;
    }
    Vector alpha, beta;
    std::vector<Vector> vectors;
};

/// exp(-(H - E_0)/2T) r by all eigenpairs.
Vector exact_state(const Matrix& h, const Vector& r, double t) {
    const krylov::DensePairs pairs = krylov::hermitian_pairs(matrix_rows, {h.a.begin(), h.a.end()});
    Vector x(matrix_rows);
    for (std::size_t i = 0; i < matrix_rows; ++i) {
        std::complex<double> overlap = 0;
        for (std::size_t j = 0; j < matrix_rows; ++j) overlap += std::conj(pairs.vectors[i * matrix_rows + j]) * r[j];
        for (std::size_t j = 0; j < matrix_rows; ++j)
            x[j] += std::exp(-(pairs.values[i] - pairs.values[0]) / (2 * t)) *
                    (overlap * pairs.vectors[i * matrix_rows + j]).real();
    }
    return x;
}

Vector random_vector(std::size_t seed) {
    Vector r(matrix_rows);
    for (std::size_t i = 0; i < matrix_rows; ++i) r[i] = number(1000 * (seed + 1) + 3 * i);
    return scaled(1 / std::sqrt(dot(r, r)), r);
}

constexpr double temperatures[] = {0.05, 0.3, 1, 20};

TEST(HalfWeightedStates, OfAllStepsAreExact) {
    const Matrix h(1), o(5000);
    for (std::size_t seed = 0; seed < 4; ++seed) {
        const Vector r = random_vector(seed);
        const KeptRecurrence of(h, r, matrix_rows);
        for (const double t : temperatures) {
            const Vector x = of.combined(half_weighted_state(of.pairs(), t)), exact = exact_state(h, r, t);
            EXPECT_NEAR(dot(x, x), 1, 1e-12);
            EXPECT_NEAR(dot(x, o * x), dot(exact, o * exact) / dot(exact, exact), 1e-11) << seed << " " << t;
            EXPECT_LT(half_weighted_error(of.pairs(), of.beta.back(), of.pairs().values[0], t), 1e-10);
        }
    }
}

/// The bound holds with the lowest level as its lower bound, and is not a thousand times too large where it is small.
TEST(HalfWeightedStates, OfFewStepsErrWithinTheirBound) {
    const Matrix h(1);
    const double lowest = krylov::hermitian_pairs(matrix_rows, {h.a.begin(), h.a.end()}).values[0];
    int compared = 0;
    for (std::size_t seed = 0; seed < 4; ++seed)
        for (std::size_t m = 2; m < matrix_rows; ++m)
            for (const double t : temperatures) {
                const Vector r = random_vector(seed);
                const KeptRecurrence of(h, r, m);
                const krylov::TridiagonalPairs pairs = of.pairs();
                Vector x = exact_state(h, r, t), c(m);  // both with the factor exp(E / 2T) of the lowest level
                for (std::size_t j = 0; j < m; ++j)
                    for (std::size_t k = 0; k < m; ++k)
                        c[k] += pairs.vectors[j * m] * pairs.vectors[j * m + k] *
                                std::exp(-(pairs.values[j] - lowest) / (2 * t));
                const Vector found = of.combined(c), error = sum(found, -1, x);
                const double relative = std::sqrt(dot(error, error) / dot(found, found)),
                             bound = half_weighted_error(pairs, of.beta.back(), lowest, t);
                EXPECT_LE(relative, bound * (1 + 1e-9) + 1e-13) << seed << " " << m << " " << t;
                if (bound > 1e-10 && bound < 0.1) {
                    EXPECT_GT(1000 * relative, bound) << seed << " " << m << " " << t;
                    ++compared;
                }
            }
    EXPECT_GT(compared, 50);
}

/// Means, jackknife and bound of four vectors by their definitions.
TEST(HalfWeightedStates, AreAveragedWithTheirWeights) {
    StateMeans means(4, {0.5, 2}, 1);
    const double t = 2, mean[] = {0.3, -0.1, 0.25, 0.6}, spread[] = {0.2, 0.4, 0.1, 0.3};
    std::vector<krylov::Quadrature> gauss;
    double all = 0, weighted = 0;
    std::vector<double> z;
    for (std::size_t r = 0; r < 4; ++r) {
        means.set(r, 0, 0, NAN, NAN);
        means.set(r, 1, 0, mean[r], spread[r]);
        gauss.push_back({{-1 - 0.1 * static_cast<double>(r), 2}, {0.25, 0.75}});
        z.push_back(0.25 * std::exp(-gauss[r].nodes[0] / t) + 0.75 * std::exp(-1.0));
        all += z[r];
        weighted += z[r] * mean[r];
    }
    const double value = weighted / all;
    double center = 0, variance = 0;
    std::vector<double> without;
    for (std::size_t r = 0; r < 4; ++r) {
        without.push_back((weighted - z[r] * mean[r]) / (all - z[r]));
        center += without.back() / 4;
    }
    for (const double a : without) variance += 3.0 / 4 * (a - center) * (a - center);
    const double bias = 3 * (center - value), error = std::sqrt(student_variance(4) * variance + bias * bias);
    means.set_errors(std::vector<double>(8, 0.01));
    const std::vector<ObservedSector> sector = {{.states = 4, .rules = {&gauss}, .op = 0, .means = &means}};
    const ObservedAverage found = half_weighted_average(sector, t, 0);
    double steps = 0;
    for (std::size_t r = 0; r < 4; ++r) steps += 2 * 0.01 * 1.01 * z[r] / all * std::hypot(spread[r], mean[r] - value);
    EXPECT_NEAR(found.value, value, 1e-14);
    EXPECT_NEAR(found.error, error, 1e-13);
    EXPECT_NEAR(found.step_error, steps, 1e-14);
    means.set_errors(std::vector<double>(8, 1.5));  // so large that it bounds nothing
    EXPECT_TRUE(std::isnan(half_weighted_average(sector, t, 0).step_error));
}

/// Two sectors of 12 and 5 states, of which the second does not have the operator: value, error and bound by their
/// definitions.
TEST(HalfWeightedStates, AreAveragedOverSectors) {
    constexpr std::size_t count = 5;
    const double t = 1.5, states[] = {12, 5};
    StateMeans means(2 * count, {t}, 2);
    std::vector<std::vector<krylov::Quadrature>> gauss(2);
    std::vector<std::vector<double>> z(2), mean(2), spread(2), bound(2);
    std::vector<double> bounds;
    for (std::size_t k = 0; k < 2; ++k)
        for (std::size_t r = 0; r < count; ++r) {
            const auto x = static_cast<double>(r + 3 * k);
            gauss[k].push_back({{-1 - 0.1 * x, 0.7}, {0.3, 0.7}});
            z[k].push_back(0.3 * std::exp((1 + 0.1 * x) / t) + 0.7 * std::exp(-0.7 / t));
            mean[k].push_back(k == 0 ? std::sin(x) : 0);
            spread[k].push_back(k == 0 ? 0.1 * x : 0);
            bound[k].push_back(0.001 * (x + 1));
            bounds.push_back(bound[k].back());
            means.set(k * count + r, 0, 0, NAN, NAN);
            means.set(k * count + r, 0, 1, std::sin(x), 0.1 * x);
        }
    means.set_errors(bounds);
    double norm = 0, weighted = 0;
    for (std::size_t k = 0; k < 2; ++k)
        for (std::size_t r = 0; r < count; ++r) {
            norm += states[k] / count * z[k][r];
            weighted += states[k] / count * z[k][r] * mean[k][r];
        }
    const double value = weighted / norm;
    double variance = 0, steps = 0;
    for (std::size_t k = 0; k < 2; ++k) {
        std::vector<double> without;
        double center = 0, squares = 0;
        for (std::size_t out = 0; out < count; ++out) {
            double n = norm, w = weighted;
            for (std::size_t r = 0; r < count; ++r) {
                const double change = states[k] * z[k][r] * ((r == out ? 0 : 1.0 / (count - 1)) - 1.0 / count);
                n += change;
                w += change * mean[k][r];
            }
            without.push_back(w / n);
            center += w / n / count;
        }
        for (const double a : without) squares += (count - 1.0) / count * (a - center) * (a - center);
        const double bias = (count - 1) * (center - value);
        variance += student_variance(count) * squares + bias * bias;
        for (std::size_t r = 0; r < count; ++r)
            steps += 2 * bound[k][r] * (1 + bound[k][r]) * states[k] / count * z[k][r] / norm *
                     std::hypot(spread[k][r], mean[k][r] - value);
    }
    const std::vector<ObservedSector> sectors = {
        {.states = states[0], .rules = {&gauss[0]}, .op = 1, .means = &means},
        {.states = states[1], .rules = {&gauss[1]}, .op = {}, .means = &means, .first_vector = count}};
    const ObservedAverage found = half_weighted_average(sectors, t, 0);
    EXPECT_NEAR(found.value, value, 1e-14);
    EXPECT_NEAR(found.error, std::sqrt(variance), 1e-13);
    EXPECT_NEAR(found.step_error, steps, 1e-14);
}

}  // namespace
}  // namespace strata::lanczos
