// SPDX-License-Identifier: BSD-3-Clause
// Equal and weighted partitions against their definitions.
#include "strata/partition.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace strata {
namespace {

TEST(EqualPart, CoversEveryIndexOnceInOrder) {
    for (std::uint64_t count : {0ull, 1ull, 7ull, 64ull, 1000003ull, (1ull << 40) + 5})
        for (std::uint64_t parts : {1ull, 2ull, 3ull, 7ull, 64ull}) {
            std::uint64_t next = 0, most = 0, least = count;
            for (std::uint64_t part = 0; part < parts; ++part) {
                const Range range = equal_part(count, parts, part);
                EXPECT_EQ(range.first, next);
                next = range.last;
                most = std::max(most, range.size());
                least = std::min(least, range.size());
                if (!range.empty()) {
                    EXPECT_EQ(part_of(count, parts, range.first), part);
                    EXPECT_EQ(part_of(count, parts, range.last - 1), part);
                }
            }
            EXPECT_EQ(next, count);
            EXPECT_LE(most - least, 1u);
        }
}

/// Every boundary is the position at which the running sum is nearest to its share of the total.
TEST(WeightedParts, CutWhereTheRunningSumIsNearestToTheShare) {
    std::mt19937_64 random(7);
    for (int round = 0; round < 300; ++round) {
        std::vector<std::uint64_t> costs(random() % 40);
        for (std::uint64_t& cost : costs) cost = random() % 5 == 0 ? 0 : random() % (round % 2 == 0 ? 10 : 1000);
        const std::uint64_t parts = 1 + random() % 12;
        const std::vector<std::uint64_t> boundaries = weighted_parts(costs, parts);
        ASSERT_EQ(boundaries.size(), parts + 1);
        EXPECT_EQ(boundaries.front(), 0u);
        EXPECT_EQ(boundaries.back(), costs.size());
        std::vector<double> sums = {0};
        for (std::uint64_t cost : costs) sums.push_back(sums.back() + static_cast<double>(cost));
        for (std::uint64_t p = 1; p < parts; ++p) {
            EXPECT_GE(boundaries[p], boundaries[p - 1]);
            const double share = sums.back() * static_cast<double>(p) / static_cast<double>(parts);
            double nearest = std::abs(sums[0] - share);
            for (double sum : sums) nearest = std::min(nearest, std::abs(sum - share));
            EXPECT_NEAR(std::abs(sums[boundaries[p]] - share), nearest, 1e-9);
        }
    }
}

TEST(WeightedParts, LargeCostsDoNotOverflow) {
    const std::vector<std::uint64_t> costs(1000, std::uint64_t{1} << 53);
    const std::vector<std::uint64_t> boundaries = weighted_parts(costs, 8);
    for (std::uint64_t p = 0; p <= 8; ++p) EXPECT_EQ(boundaries[p], 125 * p);
}

}  // namespace
}  // namespace strata
