// SPDX-License-Identifier: BSD-3-Clause
// Fixed-point sums: the same bits in every order and grouping, and the accuracy of sums of long doubles.
#include "strata/fixed_point_sum.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

namespace strata {
namespace {

/// Random addends of magnitudes from 2^-100 to 1; the fraction `negative` of them is negative.
std::vector<double> addends(std::size_t count, double negative) {
    std::mt19937_64 random(7);
    std::uniform_real_distribution<double> uniform(0, 1);
    std::vector<double> x;
    for (std::size_t i = 0; i < count; ++i)
        x.push_back(std::ldexp(uniform(random), -static_cast<int>(random() % 100)) *
                    (uniform(random) < negative ? -1 : 1));
    return x;
}

FixedPointSum sum_of(const std::vector<double>& x) {
    FixedPointSum sum;
    for (double value : x) sum.add(value);
    return sum;
}

TEST(FixedPointSum, DoesNotDependOnOrderAndGroups) {
    std::vector<double> x = addends(5000, 0.4);
    const FixedPointSum expected = sum_of(x);
    std::mt19937_64 random(1);
    bool doubles_differ = false;
    const double plain = std::accumulate(x.begin(), x.end(), 0.0);
    for (int round = 0; round < 20; ++round) {
        std::ranges::shuffle(x, random);
        EXPECT_EQ(sum_of(x), expected);
        doubles_differ = doubles_differ || std::accumulate(x.begin(), x.end(), 0.0) != plain;
        const auto middle = x.begin() + static_cast<std::ptrdiff_t>(random() % x.size());
        FixedPointSum left = sum_of({x.begin(), middle});
        left.add(sum_of({middle, x.end()}));
        EXPECT_EQ(left, expected);
    }
    EXPECT_TRUE(doubles_differ) << "these addends show nothing";
}

TEST(FixedPointSum, IsAsAccurateAsLongDoubles) {
    for (double negative : {0.0, 0.5}) {
        std::vector<double> x = addends(100000, negative);
        std::ranges::sort(x, {}, [](double value) { return std::abs(value); });
        long double exact = 0;
        for (double value : x) exact += value;
        const double value = sum_of(x).value();
        EXPECT_LE(std::abs(value - exact), 2e-16L * std::abs(exact));
    }
}

TEST(FixedPointSum, KeepsSingleNumbers) {
    for (double x : {0.0, 1.0, -1.0, 0.1, -1.0 / 3, 0x1.fffffffffffffp-44, 2147483647.5, -2147483647.75, 0x1p-96})
        EXPECT_EQ(sum_of({x}).value(), x);
    EXPECT_EQ(sum_of({0x1p-97}).value(), 0);
    EXPECT_EQ(sum_of({0x1p-96, -1.0, 1.0}).value(), 0x1p-96);
    EXPECT_EQ(sum_of({-0x1p-96, 1.0, 0x1p-96}).value(), 1) << "borrow and carry between the halves";
    EXPECT_EQ(sum_of({0.75, 0.75, -0.5}).value(), 1);
}

TEST(FixedPointSum, IsNoNumberForGoodIfAnAddendWasNone) {
    for (double x :
         {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(), -0x1p31, 1e300}) {
        EXPECT_TRUE(std::isnan(sum_of({1, x, 2}).value())) << x;
        FixedPointSum other = sum_of({0.5});
        other.add(sum_of({x}));
        other.add(sum_of({x}));
        EXPECT_TRUE(other.invalid()) << x;
    }
}

/// Addition of sums in words of 64 bits, as by all_sum.
TEST(FixedPointSum, AddsUpInPieces) {
    const std::vector<double> x = addends(3000, 0.6);
    std::array<std::uint64_t, 4> total{};
    for (std::size_t i = 0; i < x.size(); i += 30) {
        const auto pieces =
            sum_of({x.begin() + static_cast<std::ptrdiff_t>(i), x.begin() + static_cast<std::ptrdiff_t>(i + 30)})
                .pieces();
        for (std::size_t p = 0; p < 4; ++p) total[p] += pieces[p];
    }
    EXPECT_EQ(FixedPointSum::from_pieces(total, false), sum_of(x));
    EXPECT_TRUE(std::isnan(FixedPointSum::from_pieces(total, true).value()));
}

TEST(SplitSum, IsTheSameSum) {
    for (const double negative : {0.0, 0.5, 1.0})
        for (const double scale : {0x1p-60, 1.0, 0x1p17}) {
            std::vector<double> x = addends(5000, negative);
            for (double& value : x) value *= scale;
            SplitSum sum;
            for (double value : x) sum.add(value);
            EXPECT_EQ(sum.total(), sum_of(x));
        }
    for (const double invalid : {std::numeric_limits<double>::infinity(), std::nan(""), -0x1p31}) {
        SplitSum sum;
        sum.add(1);
        sum.add(invalid);
        sum.add(-1);
        EXPECT_TRUE(sum.total().invalid());
    }
}

}  // namespace
}  // namespace strata
