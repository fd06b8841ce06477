// SPDX-License-Identifier: BSD-3-Clause
// Error estimates of series with known autocorrelation: an AR(1) process x' = a x + sqrt(1 - a^2) g has variance 1 and
// tau_int = (1 + a) / (2 (1 - a)).
#include "analysis/estimate.hpp"
#include "analysis/gamma_method.hpp"

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

/// Mean square of deviation / error over many short series, and the mean value.
struct Pulls {
    double square = 0, value = 0;
};

template <class EstimateOf>
Pulls pulls(double a, std::size_t count, double exact, const EstimateOf& estimate) {
    const unsigned many = 2000;
    Pulls p;
    for (unsigned seed = 0; seed < many; ++seed) {
        const Estimate e = estimate(autoregressive(a, count, seed));
        p.square += std::pow((e.value - exact) / e.error, 2) / many;
        p.value += e.value / many;
    }
    return p;
}

/// 2000 pulls of a normal distribution have a mean square of 1 +- 0.03. Twenty values cannot show whether they are
/// correlated, so that errors of independent values are too large there.
TEST(GammaMethod, PullsOfShortSeries) {
    for (double a : {0.0, 0.4})
        for (std::size_t count : {20u, 40u, 100u}) {
            const Pulls p = pulls(a, count, 0, [](const auto& series) { return gamma_method(series); });
            EXPECT_GT(p.square, count == 20 ? 0.35 : 0.6) << a << " " << count;
            EXPECT_LT(p.square, 1.3) << a << " " << count;
        }
}

TEST(GammaMethod, HasNoErrorFromFewOrEqualValues) {
    EXPECT_TRUE(std::isnan(gamma_method({}).value));
    const std::vector<double> few = autoregressive(0, too_few_for_mean, 1), enough = autoregressive(0, 12, 1);
    EXPECT_TRUE(std::isnan(gamma_method(few).error));
    EXPECT_GT(gamma_method(enough).error, 0);
    const Estimate e = gamma_method(std::vector<double>(1000, 0.1));
    EXPECT_EQ(e.value, 0.1);
    EXPECT_TRUE(std::isnan(e.error));
    EXPECT_TRUE(std::isnan(e.tau));
}

TEST(GammaMethod, TauIsNotBelowThatOfIndependentValues) {
    std::vector<double> series = autoregressive(0, 400, 3);
    for (std::size_t i = 0; i < series.size(); i += 2) series[i + 1] = -series[i];
    EXPECT_EQ(gamma_method(series).tau, 0.5);
}

/// The variance of a series as a function of the means of x and x^2.
Estimate variance_of(const std::vector<double>& series) {
    std::vector<double> squares;
    for (double value : series) squares.push_back(value * value);
    const std::span<const double> both[] = {series, squares};
    return jackknife(both, [](std::span<const double> m) { return m[1] - m[0] * m[0]; });
}

TEST(Jackknife, AgreesWithPropagationOfErrors) {
    // f = mean(x)^2 with mean 2: sigma_f = 2 * 2 * sigma
    const std::size_t count = 100000;
    std::vector<double> series = autoregressive(0.5, count, 9);
    for (double& value : series) value += 2;
    const Estimate mean = gamma_method(series);
    const std::span<const double> columns[] = {series};
    const Estimate e = jackknife(columns, [](std::span<const double> m) { return m[0] * m[0]; });
    EXPECT_NEAR(e.value, 4, 5 * 4 * mean.error);
    EXPECT_NEAR(e.error / (4 * mean.error), 1, 0.02);
    EXPECT_NEAR(e.tau, mean.tau, 0.05);
}

/// The variance of n values is too small by the squared error of their mean, 2 tau / n: 15 % and 6 % here.
TEST(Jackknife, RemovesTheBiasOfShortSeries) {
    for (std::size_t count : {40u, 100u}) {
        const Pulls p = pulls(0.5, count, 1, [](const auto& series) { return variance_of(series); });
        EXPECT_NEAR(p.value, 1, count == 40 ? 0.05 : 0.02) << count;  // standard errors of 0.007 and 0.004
        EXPECT_GT(p.square, 0.5) << count;
        EXPECT_LT(p.square, 1.3) << count;
    }
}

TEST(Jackknife, HasNoErrorFromFewOrEqualValues) {
    EXPECT_TRUE(std::isnan(variance_of({1}).value));
    EXPECT_EQ(variance_of({1, 2}).value, 0.5);  // unbiased
    EXPECT_TRUE(std::isnan(variance_of(autoregressive(0, too_few_for_function, 1)).error));
    EXPECT_GT(variance_of(autoregressive(0, 22, 1)).error, 0);
    const Estimate e = variance_of(std::vector<double>(100, 0.1));
    EXPECT_EQ(e.value, 0.1 * 0.1 - 0.1 * 0.1);
    EXPECT_TRUE(std::isnan(e.error));
}

/// p (1 - p) for the fraction p of ones, whose gradient vanishes at p = 1/2.
Estimate variance_of_coin(const std::vector<double>& series) {
    const std::span<const double> column[] = {series};
    return jackknife(column, [](std::span<const double> m) { return m[0] * (1 - m[0]); });
}

/// Errors at a vanishing gradient. For normally distributed means that deviate by d, f = d^2 has the variance 2
/// sigma^4, and f = d e the variance (1 + rho^2) sigma_d^2 sigma_e^2 (L. Isserlis, Biometrika 12, 134 (1918)).
TEST(Jackknife, HasAnErrorWhereTheGradientVanishes) {
    const std::size_t count = 4000;
    const double n = static_cast<double>(count);
    std::vector<double> coin(count, 0);
    for (std::size_t i = 0; i < count; i += 2) coin[i] = 1;
    EXPECT_NEAR(variance_of_coin(coin).error / (std::sqrt(2) / (4 * n)), 1, 0.02);

    for (double rho : {0.0, 0.6, -0.9}) {
        std::vector<double> x = autoregressive(0, count, 1), y = autoregressive(0, count, 2);
        for (std::size_t i = 0; i < count; ++i) y[i] = rho * x[i] + std::sqrt(1 - rho * rho) * y[i];
        const Estimate of_x = gamma_method(x), of_y = gamma_method(y);
        for (double& value : x) value -= of_x.value;
        for (double& value : y) value -= of_y.value;
        const std::span<const double> both[] = {x, y};
        const Estimate e = jackknife(both, [](std::span<const double> m) { return m[0] * m[1]; });
        // the rho of the sample is off by 1 / sqrt(n) = 0.016, and its tau is the larger of the two
        EXPECT_NEAR(e.error / (of_x.error * of_y.error * std::sqrt(1 + rho * rho)), 1, 0.05) << rho;
    }
}

/// One in eighteen series of forty Bernoulli trials with p = 0.4 has twenty ones.
TEST(Jackknife, PullsWhereTheGradientMayVanish) {
    double square = 0;
    const unsigned many = 2000;
    for (unsigned seed = 0; seed < many; ++seed) {
        std::mt19937_64 random(seed);
        std::vector<double> coin(40);
        for (double& value : coin) value = std::uniform_real_distribution<double>()(random) < 0.4 ? 1 : 0;
        const Estimate e = variance_of_coin(coin);
        square += std::pow((e.value - 0.24) / e.error, 2) / many;
    }
    EXPECT_GT(square, 0.2);  // errors of 40 values are too large
    EXPECT_LT(square, 1.3);
}

/// A twentieth of the variance with tau = 49.5 makes the error of a mean 2.5 times that of independent values. Mean squares of
/// 400 deviations / errors; blocks of 250 values miss a tenth of it.
TEST(BlockError, SeesSmallSlowParts) {
    const unsigned many = 400;
    double blocks = 0, window = 0;
    for (unsigned seed = 0; seed < many; ++seed) {
        std::vector<double> series = autoregressive(0.98, 4000, seed);
        const std::vector<double> fast = autoregressive(0, 4000, many + seed);
        for (std::size_t i = 0; i < series.size(); ++i)
            series[i] = std::sqrt(0.05) * series[i] + std::sqrt(0.95) * fast[i];
        const Estimate e = gamma_method(series);
        const std::span<const double> one[] = {series};
        const double error = block_error(one, [](std::span<const double> means) { return means[0]; });
        blocks += std::pow(e.value / error, 2) / many;
        window += std::pow(e.value / e.error, 2) / many;
    }
    EXPECT_GT(blocks, 0.8);
    EXPECT_LT(blocks, 1.4);  // 4 sigma above 1.11
    EXPECT_GT(window, blocks) << blocks;
}

TEST(JackknifeBlock, LeavesEnoughBlocks) {
    EXPECT_EQ(jackknife_block(1000, 5), 25u);
    EXPECT_EQ(jackknife_block(1000000, 0.5), 5000u);  // at most 200 blocks
    EXPECT_EQ(jackknife_block(1000, 100), 125u);      // at least 8 blocks
    EXPECT_EQ(jackknife_block(5, 1), 1u);
}

TEST(Transient, ItsLeastErrorStartIsWhereTheStepIs) {
    std::vector<double> series(400);
    for (std::size_t i = 0; i < series.size(); ++i) series[i] = (i < 60 ? 5.0 : 0.0) + (i % 2 == 0 ? 1 : -1);
    EXPECT_EQ(least_error_start(series), 60U);
    EXPECT_EQ(least_error_start(std::span(series).subspan(60)), 0U);
    EXPECT_EQ(least_error_start({}), 0U);
    EXPECT_EQ(least_error_start(std::vector<double>(7, 1.0)), 0U);
}

Transient transient_of(const std::vector<double>& series) {
    return find_transient(1, [&](std::size_t) { return series; });
}

/// A chain that begins 30 standard deviations from its mean. The pulls of 500 runs have a mean of 0 +- 0.045 and a mean
/// square of 1 +- 0.063; with the transient the mean of the series is wrong by more than 8 of its errors.
TEST(Transient, IsLeftOutWithoutBias) {
    constexpr unsigned many = 500;
    constexpr double a = 0.8, tau = (1 + a) / (2 * (1 - a)), distance = 30;
    double mean = 0, square = 0, least = 1e9;
    for (unsigned seed = 0; seed < many; ++seed) {
        std::vector<double> series = autoregressive(a, 2000, seed);
        for (std::size_t i = 0; i < series.size(); ++i) series[i] += distance * std::pow(a, i);
        const Transient transient = transient_of(series);
        EXPECT_TRUE(transient.ended) << seed;
        const Estimate e = gamma_method(std::span(series).subspan(transient.rows));
        mean += e.value / e.error / many;
        square += std::pow(e.value / e.error, 2) / many;
        least = std::min(least, static_cast<double>(transient.rows));
    }
    EXPECT_LT(std::abs(mean), 4 * 0.045);
    EXPECT_NEAR(square, 1, 4 * 0.063);
    EXPECT_GT(least, 10 * tau);
}

/// Rare excursions near the start of a stationary chain are no transient: without them means would be too low and errors
/// too small. The mean of the deviations of 1000 runs has an error of 0.03 of those of a run.
TEST(Transient, IsNoExcursion) {
    constexpr unsigned many = 1000;
    const double exact = std::exp(0.5 * 1.5 * 1.5);  // of the exponential of a normal variable
    double deviation = 0, error = 0, without_cut = 0;
    for (unsigned seed = 0; seed < many; ++seed) {
        std::vector<double> series = autoregressive(0.5, 1000, seed);
        for (double& value : series) value = std::exp(1.5 * value);
        const Estimate e = gamma_method(std::span(series).subspan(transient_of(series).rows));
        deviation += (e.value - exact) / many;
        without_cut += (gamma_method(std::span(series).subspan(30)).value - exact) / many;
        error += e.error / many;
    }
    EXPECT_LT(std::abs(without_cut), 0.12 * error);
    EXPECT_LT(std::abs(deviation), 0.12 * error);
}

TEST(Transient, IsFoundWhereItIsLongAndFaint) {
    std::vector<double> series = autoregressive(0.5, 4000, 3);
    for (std::size_t i = 0; i < 300; ++i) series[i] += 1;
    EXPECT_NEAR(static_cast<double>(transient_of(series).rows), 300, 60);
}

TEST(Transient, IsNotCalledEndedTooEarly) {
    EXPECT_FALSE(transient_of(autoregressive(0.8, 200, 1)).ended) << "fewer than 70 autocorrelation times";
    EXPECT_FALSE(transient_of({}).ended);
    std::vector<double> trend = autoregressive(0.5, 4000, 2);
    EXPECT_TRUE(transient_of(trend).ended);
    for (std::size_t i = 0; i < trend.size(); ++i) trend[i] += 1e-3 * static_cast<double>(i);
    const Transient still = transient_of(trend);
    EXPECT_FALSE(still.ended) << "the mean still changes";
    EXPECT_LE(still.rows, trend.size() / 2);
}

/// 2000 stationary chains have 67 autocorrelation times each; a trend by 10 deviations over the chain is seen.
TEST(Drifts, AreSeenAndRarelyInvented) {
    int invented = 0, missed = 0;
    for (unsigned seed = 0; seed < 2000; ++seed) {
        std::vector<double> series = autoregressive(0.5, 200, seed);
        invented += drifts(series);
        for (std::size_t i = 0; i < series.size(); ++i) series[i] += 0.05 * static_cast<double>(i);
        missed += !drifts(series);
    }
    EXPECT_LE(invented, 10);
    EXPECT_LE(missed, 10);
    EXPECT_FALSE(drifts(std::vector<double>(20, 1.0)));
    std::vector<double> step(90, 1.0);
    std::fill(step.begin() + 45, step.end(), 2.0);
    EXPECT_TRUE(drifts(step)) << "both thirds are constant";
}

TEST(DepartsRarely, WhereEventsAreFew) {
    EXPECT_FALSE(departs_rarely({}));
    EXPECT_TRUE(departs_rarely(std::vector<double>(100, 1.0)));
    for (unsigned seed = 0; seed < 1000; ++seed) EXPECT_FALSE(departs_rarely(autoregressive(0, 40, seed)));
    std::vector<double> events(1000, 1.0);
    for (std::size_t i = 1; i < 5; ++i) events[100 * i] = events[100 * i + 1] = 2;
    EXPECT_TRUE(departs_rarely(events));
    events[700] = 1.5;
    EXPECT_FALSE(departs_rarely(events));
    EXPECT_TRUE(departs_rarely(events, 6));
}

TEST(LinearChanges, HaveTheErrorOfTheFunction) {
    const std::vector<double> x = autoregressive(0, 500, 1), y = autoregressive(0, 500, 2);
    const std::span<const double> both[] = {x, y};
    const auto f = [](std::span<const double> m) { return m[0] + std::exp(m[1]); };
    const std::vector<double> changes = linear_changes(both, 400, f);
    const double slope = std::exp(mean_of(std::span(y).first(400)));
    ASSERT_EQ(changes.size(), 500U);
    for (std::size_t i = 0; i < 500; ++i)  // the last 100 as if they were added
        EXPECT_NEAR(changes[i],
                    x[i] - mean_of(std::span(x).first(400)) + slope * (y[i] - mean_of(std::span(y).first(400))), 0.05);
}

TEST(Transient, MayEndInAConstant) {
    std::vector<double> series(100, 2.0);
    EXPECT_EQ(transient_of(series).rows, 0U);
    EXPECT_TRUE(transient_of(series).ended);
    for (std::size_t i = 0; i < 8; ++i) series[i] = 1;
    const Transient transient = transient_of(series);
    EXPECT_TRUE(transient.ended);
    EXPECT_GE(transient.rows, 8U);
    EXPECT_LE(transient.rows, 50U);
}

}  // namespace
}  // namespace strata::analysis
