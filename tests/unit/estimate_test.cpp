// SPDX-License-Identifier: BSD-3-Clause
// Errors of series whose autocorrelation is known: an AR(1) process x' = a x + sqrt(1 - a^2) g has variance 1 and
// tau_int = (1 + a) / (2 (1 - a)).
#include "analysis/estimate.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace strata::analysis {
namespace {

std::vector<double> autoregressive(double a, std::size_t count, unsigned seed) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal;
    std::vector<double> series(count);
    double x = normal(random);
    for (double& value : series) value = x = a * x + std::sqrt(1 - a * a) * normal(random);
    return series;
}

TEST(GammaMethod, FindsTheAutocorrelationTime) {
    for (double a : {0.0, 0.5, 0.8, 0.95}) {
        const double tau = (1 + a) / (2 * (1 - a));
        const std::size_t count = 200000;
        const Estimate e = gamma_method(autoregressive(a, count, 5));
        // relative error of tau about sqrt(2 (2 W + 1) / N), W about 6 tau: under 4 % here; 4 sigma would be 13 %
        EXPECT_NEAR(e.tau / tau, 1, 0.13) << a;
        EXPECT_NEAR(e.error, std::sqrt(2 * tau / static_cast<double>(count)), 0.1 * e.error);
        EXPECT_LT(std::abs(e.value), 4 * e.error);
    }
}

/// Of many short series the mean of error^2 is the variance of their means, which has a closed form:
/// (1 + 2 sum_t (1 - t / n) a^t) / n. The mean is taken from the same data, without correction 30 % of it would lack.
TEST(GammaMethod, ShortSeriesAreNotBiased) {
    const std::size_t count = 40, many = 4000;
    const double a = 0.5, n = static_cast<double>(count);
    double variance = 1, squares = 0;
    for (std::size_t t = 1; t < count; ++t)
        variance += 2 * (1 - static_cast<double>(t) / n) * std::pow(a, static_cast<double>(t));
    for (unsigned seed = 0; seed < many; ++seed) {
        const double error = gamma_method(autoregressive(a, count, seed)).error;
        squares += error * error / static_cast<double>(many);
    }
    EXPECT_NEAR(squares / (variance / n), 1, 0.1);
}

TEST(GammaMethod, SmallAndConstantSeries) {
    EXPECT_TRUE(std::isnan(gamma_method({}).value));
    EXPECT_TRUE(std::isnan(gamma_method(std::vector<double>{1, 2}).error));
    const Estimate e = gamma_method(std::vector<double>(10, 3.0));
    EXPECT_EQ(e.value, 3);
    EXPECT_EQ(e.error, 0);
}

TEST(Jackknife, AgreesWithPropagationOfErrors) {
    // f = mean(x)^2 with mean 2: sigma_f = 2 * 2 * sigma
    const std::size_t count = 100000;
    std::vector<double> series = autoregressive(0.5, count, 9);
    for (double& value : series) value += 2;
    const double sigma = gamma_method(series).error;
    const std::vector<double> columns[] = {series};
    const Estimate e = jackknife(
        columns, [](std::span<const double> m) { return m[0] * m[0]; }, 500);
    EXPECT_NEAR(e.value, 4, 5 * 4 * sigma);
    EXPECT_NEAR(e.error / (4 * sigma), 1, 0.25);  // 200 blocks: 5 % standard error
    EXPECT_TRUE(std::isnan(jackknife(
                               columns, [](std::span<const double>) { return 0.0; }, count)
                               .error));
}

TEST(JackknifeBlock, LeavesEnoughBlocks) {
    EXPECT_EQ(jackknife_block(10000, 5), 100u);
    EXPECT_EQ(jackknife_block(1000000, 0.5), 5000u);  // at most 200 blocks
    EXPECT_EQ(jackknife_block(1000, 100), 50u);       // at least 20 blocks
    EXPECT_EQ(jackknife_block(5, 1), 1u);
}

}  // namespace
}  // namespace strata::analysis
