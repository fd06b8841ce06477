// SPDX-License-Identifier: BSD-3-Clause
// Autocovariances against direct sums in long double.
#include "analysis/autocovariance.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace strata::analysis {
namespace {

/// A slowly varying series whose mean is not 0.
std::vector<double> slow_series(std::size_t count) {
    std::mt19937_64 random(count);
    std::normal_distribution<double> normal;
    std::vector<double> series(count);
    double x = 0;
    for (double& value : series) value = 0.25 + (x = 0.999 * x + 0.05 * normal(random));
    return series;
}

long double direct_mean(const std::vector<double>& d, std::size_t distance) {
    long double sum = 0;
    for (std::size_t i = 0; i + distance < d.size(); ++i) sum += static_cast<long double>(d[i]) * d[i + distance];
    return sum / static_cast<long double>(d.size() - distance);
}

void expect_direct_means(const std::vector<double>& d, const std::vector<std::size_t>& distances) {
    Autocovariance covariance(d);
    const auto variance = static_cast<double>(direct_mean(d, 0));
    for (const std::size_t t : distances) {
        // products near the end of the series are few, and the sums of others leave their rounding errors
        const double share = static_cast<double>(d.size() - t) / static_cast<double>(d.size());
        EXPECT_NEAR(covariance(t), static_cast<double>(direct_mean(d, t)), 1e-13 * variance / share)
            << "distance " << t << " of " << d.size();
    }
}

TEST(Autocovariance, AllDistancesOfShortSeries) {
    for (const std::size_t count : {1u, 2u, 15u, 16u, 17u, 127u, 128u, 129u, 500u, 1024u, 1025u, 2500u}) {
        std::vector<std::size_t> all(count);
        for (std::size_t t = 0; t < count; ++t) all[t] = t;
        expect_direct_means(slow_series(count), all);
        std::ranges::reverse(all);
        expect_direct_means(slow_series(count), all);
    }
}

/// Distances on both sides of the ends of segments, and beyond the longest segment.
TEST(Autocovariance, DistancesOfALongSeries) {
    static_assert(Autocovariance::direct == 64 && Autocovariance::longest_segment == 65536);
    expect_direct_means(slow_series(300000), {0, 1, 63, 64, 511, 512, 4000, 4095, 4096, 32767, 32768, 65535, 65536,
                                              100000, 131071, 131072, 200000, 299999});
}

/// The same bits as one sum after another, in the order of the series.
TEST(Autocovariance, DirectSumsKeepTheirOrder) {
    const std::vector<double> d = slow_series(1000);
    Autocovariance covariance(d);
    for (std::size_t t = 0; t < Autocovariance::direct; ++t) {
        double sum = 0;
        for (std::size_t i = 0; i + t < d.size(); ++i) sum += d[i] * d[i + t];
        EXPECT_EQ(covariance(t), sum / static_cast<double>(d.size() - t)) << t;
    }
}

TEST(FourierTransform, AgreesWithItsDefinition) {
    for (const std::size_t size : {1u, 2u, 4u, 8u, 64u}) {
        std::vector<std::complex<double>> x(size);
        for (std::size_t j = 0; j < size; ++j)
            x[j] = {std::sin(1.0 + static_cast<double>(j)), 0.5 / (1.0 + static_cast<double>(j))};
        std::vector<std::complex<double>> transformed = x;
        const FourierTransform transform(size);
        transform.forward(transformed);
        for (std::size_t k = 0, reversed = 0; k < size; ++k) {
            std::complex<long double> sum = 0;
            for (std::size_t j = 0; j < size; ++j)
                sum += std::complex<long double>(x[j]) *
                       std::polar(1.0L, -2 * std::acos(-1.0L) * static_cast<long double>(j * k) /
                                            static_cast<long double>(size));
            EXPECT_NEAR(transformed[reversed].real(), static_cast<double>(sum.real()), 1e-13) << size << " " << k;
            EXPECT_NEAR(transformed[reversed].imag(), static_cast<double>(sum.imag()), 1e-13) << size << " " << k;
            for (std::size_t bit = size / 2; bit > 0 && (reversed ^= bit, (reversed & bit) == 0); bit /= 2) {
            }
        }
        transform.backward(transformed);
        for (std::size_t j = 0; j < size; ++j)
            EXPECT_NEAR(std::abs(transformed[j] / static_cast<double>(size) - x[j]), 0, 1e-14) << size << " " << j;
    }
}

}  // namespace
}  // namespace strata::analysis
