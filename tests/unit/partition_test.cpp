// SPDX-License-Identifier: BSD-3-Clause
#include "strata/partition.hpp"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace strata
