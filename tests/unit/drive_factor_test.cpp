// SPDX-License-Identifier: BSD-3-Clause
// Power series of the factors of drives against the factors themselves: nowhere farther than the bound of what is omitted.
#include <gtest/gtest.h>

#include <cmath>

#include "models/drive_factor.hpp"
#include "strata/error.hpp"

namespace strata {
namespace {

double value_of(const DriveFactor::Series& series, double s) {
    double sum = 0;
    for (std::size_t j = series.terms.size(); j-- > 0;) sum = sum * s + series.terms[j];
    return sum;
}

TEST(DriveFactor, SeriesAreTheFactorsWithinTheirBounds) {
    for (const char* text : {"cos 0.3 -0.8 4 0.35", "gauss 1.3 7 -0.2 1.1 0.6", "gauss 2 0 0.25 -3 0.8",
                             "linear 0 0; 4 2", "steps -1 0.5; 4 2"}) {
        const DriveFactor factor("drive.factor", text);
        double closest = 0;
        for (const double t : {0.0, 0.9, 2.2})
            for (const double length : {0.05, 0.4, 1.5})
                for (const std::size_t count : {2, 5, 9, 16}) {
                    const DriveFactor::Series series = factor.series(t, length, t + length / 2, count);
                    ASSERT_EQ(series.terms.size(), count);
                    for (const double s : {0.2, 0.6, 1.0}) {
                        const double bound = series.rest * std::pow(s, static_cast<double>(count)),
                                     error = std::abs(value_of(series, s) - factor.at(t + s * length));
                        EXPECT_LE(error, bound + 1e-13 * (1 + factor.bound()))
                            << text << " at " << t << " + " << s * length;
                        if (error > 1e-12) closest = std::max(closest, error / bound);
                    }
                }
        if (factor.form() == DriveFactor::Form::cosine || factor.form() == DriveFactor::Form::gauss) {
            EXPECT_GT(closest, 0.01) << text;
        }
    }
}

/// Means and bounds over intervals with and without points inside, against many values of the factor.
TEST(DriveFactor, MeansAndBoundsOfIntervals) {
    for (const char* text : {"", "cos 0.3 -0.8 4 0.35", "cos 0 1 -0.01 -0.5", "gauss 1.3 7 -0.2 1.1 0.6",
                             "gauss 2 0 0.25 -3 0.8", "linear 0.4 0.2; 0.9 -1; 1.3 2", "steps 0.25 0.5; 0.5 -3; 2 1"}) {
        const DriveFactor factor("drive.factor", text);
        for (const double begin : {0.0, 0.3, 1.2})
            for (const double length : {0.05, 0.5, 2.5}) {
                constexpr int count = 200000;
                double sum = 0, largest = 0;
                for (int i = 0; i < count; ++i) {
                    const double value = factor.at(begin + (i + 0.5) * length / count);
                    sum += value, largest = std::max(largest, std::abs(value));
                }
                EXPECT_NEAR(factor.mean(begin, begin + length), sum / count, 2e-5 * length) << text << " at " << begin;
                EXPECT_GE(factor.bound(begin, begin + length), largest * (1 - 1e-12)) << text << " at " << begin;
                EXPECT_LE(factor.bound(begin, begin + length), factor.bound()) << text << " at " << begin;
            }
    }
    EXPECT_NEAR(DriveFactor("", "cos 0 1 1 -0.5").mean(0, M_PI), 2 / M_PI, 1e-14);
    EXPECT_LT(DriveFactor("", "cos 0 1 0.01 -0.5").bound(0, 1), 0.0101);
    EXPECT_LT(DriveFactor("", "gauss 1 3 0 10 1").bound(0, 5), 4e-6);
    const DriveFactor step("", "steps 0.3 2");
    EXPECT_EQ(step.from(0.1 + 0.2), 2);
    EXPECT_EQ(step.from(0.3 - 2e-16), 2);
}

TEST(DriveFactor, FastestOscillationOfPoints) {
    EXPECT_EQ(DriveFactor("", "cos 1 2 -3 0").fastest(), 3);
    EXPECT_EQ(DriveFactor("", "gauss 1 2 0 0 0.5").fastest(), 8);
    EXPECT_EQ(DriveFactor("", "").fastest(), 0);
    EXPECT_EQ(DriveFactor("", "linear 0 0; 0.001 1").fastest(), 0);
    EXPECT_EQ(DriveFactor("", "steps 1 5; 1.001 0").fastest(), 0);
    EXPECT_DOUBLE_EQ(DriveFactor("", "steps 0 0; 1 1; 1.5 0; 2 1; 3 0").fastest(), 2 * M_PI);
    EXPECT_DOUBLE_EQ(DriveFactor("", "linear 0 0; 1 1; 1.5 -1; 2 0.5; 4 -1; 5 1").fastest(), 2 * M_PI);
    EXPECT_EQ(DriveFactor("", "linear 0 0; 1 1; 1.1 0.9999; 1.2 1; 1.3 0.9999; 1.4 1; 2 0").fastest(), 0);
}

TEST(DriveFactor, OneFollowsTheOtherInAText) {
    const std::vector<DriveFactor> factors =
        read_drive_factors("drive.factor", "linear 0 0; 2 1; cos 0 1 2 0.5; gauss 1 0 0 0 1; steps 1 0");
    ASSERT_EQ(factors.size(), 4U);
    EXPECT_DOUBLE_EQ(factors[0].at(1), 0.5);
    EXPECT_NEAR(factors[1].at(0), 0, 1e-15);
    EXPECT_DOUBLE_EQ(factors[2].at(1), std::exp(-0.5));
    EXPECT_EQ(factors[3].at(0.5), 1);
    EXPECT_EQ(factors[3].at(1), 0);
    for (const char* text : {"0 1", "cos 1 2 3", "gauss 1 0 0 0 0", "linear 1 0; 1 2", "sine 1"})
        EXPECT_THROW(read_drive_factors("drive.factor", text), Error) << text;
}

}  // namespace
}  // namespace strata
