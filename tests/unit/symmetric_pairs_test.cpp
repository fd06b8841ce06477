// SPDX-License-Identifier: BSD-3-Clause
// Eigenpairs of symmetric matrices computed by several threads at once, as for the sectors of a density matrix. The
// test fails if a library besides LAPACK brings its own BLAS in place of the right one.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <thread>

#include "krylov/tridiagonal.hpp"

namespace strata::krylov {
namespace {

struct Deviations {
    double residual = 0, overlap = 0, trace = 0;
    bool descending = true;
};

/// Deviations of all eigenpairs of 1 + G G^T / n, with a random matrix G of n rows.
Deviations deviations(std::size_t n, unsigned seed) {
    std::mt19937_64 engine(seed);
    std::normal_distribution<double> normal;
    std::vector<double> g(n * n), a(n * n);
    for (double& x : g) x = normal(engine);
    for (std::size_t j = 0; j < n; ++j)
        for (std::size_t i = 0; i < n; ++i) {
            a[j * n + i] = i == j ? 1 : 0;
            for (std::size_t k = 0; k < n; ++k) a[j * n + i] += g[k * n + i] * g[k * n + j] / static_cast<double>(n);
        }
    const LargestPairs pairs = largest_symmetric_pairs(n, a, 0.5);
    Deviations d;
    if (pairs.values.size() != n || pairs.vectors.size() != n * n) return {1, 1, 1, false};
    for (std::size_t i = 0; i < n; ++i) d.trace += a[i * n + i] - pairs.values[i];
    for (std::size_t k = 0; k < n; ++k) {
        const double* v = &pairs.vectors[k * n];
        if (k > 0 && pairs.values[k] > pairs.values[k - 1]) d.descending = false;
        for (std::size_t i = 0; i < n; ++i) {
            double product = 0;
            for (std::size_t j = 0; j < n; ++j) product += a[j * n + i] * v[j];
            d.residual = std::max(d.residual, std::abs(product - pairs.values[k] * v[i]));
        }
        for (std::size_t l = 0; l <= k; ++l) {
            double overlap = 0;
            for (std::size_t i = 0; i < n; ++i) overlap += v[i] * pairs.vectors[l * n + i];
            d.overlap = std::max(d.overlap, std::abs(overlap - (k == l ? 1 : 0)));
        }
    }
    return d;
}

TEST(SymmetricPairs, AreRightFromTwoThreadsAtOnce) {
    constexpr unsigned matrices = 30;
    std::vector<Deviations> found(2 * matrices);
    const auto work = [&](unsigned thread) {
        for (unsigned m = 0; m < matrices; ++m)
            found[thread * matrices + m] = deviations(m % 3 == 0 ? 1 + m : 60, 100 * thread + m);
    };
    std::thread other(work, 1U);
    work(0);
    other.join();
    for (const Deviations& d : found) {
        EXPECT_LT(d.residual, 1e-12);
        EXPECT_LT(d.overlap, 1e-12);
        EXPECT_LT(std::abs(d.trace), 1e-11);
        EXPECT_TRUE(d.descending);
    }
}

TEST(SymmetricPairs, AboveABoundAreTheLargest) {
    const LargestPairs pairs = largest_symmetric_pairs(3, std::vector<double>{2, 1, 0, 1, 2, 0, 0, 0, 1e-20}, 1e-14);
    ASSERT_EQ(pairs.values.size(), 2U);
    EXPECT_NEAR(pairs.values[0], 3, 1e-14);
    EXPECT_NEAR(pairs.values[1], 1, 1e-14);
    EXPECT_TRUE(largest_symmetric_pairs(2, std::vector<double>(4), 1e-14).values.empty());
}

}  // namespace
}  // namespace strata::krylov
