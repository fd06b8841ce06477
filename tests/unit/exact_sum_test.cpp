// SPDX-License-Identifier: BSD-3-Clause
// Exact sums: the same bits in every order and grouping, and the accuracy of sums of long doubles.
#include "strata/exact_sum.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

namespace strata {
namespace {

/// Random addends whose magnitudes are `binades` powers of two below `scale`; the fraction `negative` of them is negative.
std::vector<double> addends(std::size_t count, double negative, double scale = 1, unsigned binades = 100) {
    std::mt19937_64 random(7);
    std::uniform_real_distribution<double> uniform(0, 1);
    std::vector<double> x;
    for (std::size_t i = 0; i < count; ++i)
        x.push_back(scale * std::ldexp(uniform(random), -static_cast<int>(random() % binades)) *
                    (uniform(random) < negative ? -1 : 1));
    return x;
}

ExactSum sum_of(const std::vector<double>& x) {
    ExactSum sum;
    for (double value : x) sum.add(value);
    return sum;
}

/// Also where the smallest addends lie below the last digit of the largest one.
TEST(ExactSum, DoesNotDependOnOrderAndGroups) {
    for (const unsigned binades : {1U, 100U, 400U}) {
        std::vector<double> x = addends(5000, 0.4, 1, binades);
        const ExactSum expected = sum_of(x);
        std::mt19937_64 random(1);
        bool doubles_differ = false;
        const double plain = std::accumulate(x.begin(), x.end(), 0.0);
        for (int round = 0; round < 20; ++round) {
            std::ranges::shuffle(x, random);
            EXPECT_EQ(sum_of(x), expected);
            doubles_differ = doubles_differ || std::accumulate(x.begin(), x.end(), 0.0) != plain;
            ExactSum groups;
            for (auto first = x.begin(); first != x.end();) {
                const auto last = first + std::min<std::ptrdiff_t>(1 + random() % 2000, x.end() - first);
                groups += sum_of({first, last});
                first = last;
            }
            EXPECT_EQ(groups, expected);
        }
        EXPECT_TRUE(doubles_differ) << "these addends show nothing";
    }
}

TEST(ExactSum, IsAsAccurateAsLongDoubles) {
    for (const double scale : {0x1p-900, 0x1p-31, 1.0, 0x1p33, 0x1p1000})
        for (const double negative : {0.0, 0.5, 1.0}) {
            std::vector<double> x = addends(100000, negative, scale);
            std::ranges::sort(x, {}, [](double value) { return std::abs(value); });
            long double exact = 0;
            for (double value : x) exact += value;
            const double value = sum_of(x).value();
            EXPECT_LE(std::abs(value - exact), 2e-16L * std::abs(exact)) << scale;
        }
}

TEST(ExactSum, KeepsSingleNumbers) {
    const double tiny = std::numeric_limits<double>::denorm_min(), most = std::numeric_limits<double>::max();
    for (double x : {0.0, 1.0, -1.0, 0.1, -1.0 / 3, 0x1.fffffffffffffp-44, 2147483647.5, -2147483647.75, 0x1p-96,
                     0x1.fffffffffffffp31, 0x1p32, -0x1.fffffffffffffp-1, 0x1.23456789abcdep-920, most, -most})
        EXPECT_EQ(sum_of({x}).value(), x);
    EXPECT_EQ(sum_of({tiny}).value(), 0) << "below the lowest digit";
    EXPECT_EQ(sum_of({most, most}).value(), std::numeric_limits<double>::infinity());
    EXPECT_EQ(sum_of({most, most, -most}).value(), most);
}

TEST(ExactSum, IsExactAfterCancellation) {
    for (const double sign : {1.0, -1.0})
        for (const double scale : {0x1p-200, 0x1p-31, 1.0, 0x1p32, 0x1p600}) {
            const auto of = [&](std::vector<double> x) {
                for (double& value : x) value *= sign * scale;
                return sum_of(x).value() / (sign * scale);
            };
            EXPECT_EQ(of({0x1p-64, -1, 1}), 0x1p-64);
            EXPECT_EQ(of({-0x1p-64, 1, 0x1p-64}), 1) << "borrow and carry between digits";
            EXPECT_EQ(of({-0x1p-64, 1, -1}), -0x1p-64);
            EXPECT_EQ(of({0.75, 0.75, -0.5}), 1);
            EXPECT_EQ(of({0.1, 1e9, -1e9}), 0.1);
        }
    ExactSum many;  // digits of the largest size and of one sign
    for (int i = 0; i < 1 << 20; ++i) many.add(0x1.fffffffffffffp31);
    EXPECT_EQ(many.value(), 0x1.fffffffffffffp51);
}

TEST(ExactSum, IsNoNumberForGoodIfAnAddendWasNone) {
    for (double x : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
                     -std::numeric_limits<double>::infinity()}) {
        EXPECT_TRUE(std::isnan(sum_of({1, x, 2, 0, 1e300}).value())) << x;
        ExactSum other = sum_of({0.5});
        other += sum_of({x});
        other += sum_of({x});
        EXPECT_TRUE(other.invalid()) << x;
        ExactSum after = sum_of({x, x});
        after += sum_of({0.5});
        EXPECT_TRUE(after.invalid()) << x;
    }
}

}  // namespace
}  // namespace strata
