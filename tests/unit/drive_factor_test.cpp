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
