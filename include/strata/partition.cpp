// SPDX-License-Identifier: BSD-3-Clause
// Partitions weighted by cost, in one loop over the running sum. Sums are integer sums, so that every rank computes the
// same boundaries.
#include "strata/partition.hpp"

namespace strata {

std::vector<std::uint64_t> weighted_parts(std::span<const std::uint64_t> costs, std::uint64_t parts) {
    __extension__ using Wide = unsigned __int128;  // holds products of costs and parts
    Wide total = 0, before = 0;
    for (std::uint64_t cost : costs) total += cost;
    std::vector<std::uint64_t> boundaries = {0};
    std::uint64_t item = 0;
    for (std::uint64_t p = 1; p < parts; ++p) {
        // the item in which a share ends is assigned to the part that has more of it
        while (item < costs.size() && (2 * before + costs[item]) * parts <= 2 * p * total) before += costs[item++];
        boundaries.push_back(item);
    }
    boundaries.push_back(costs.size());
    return boundaries;
}

}  // namespace strata
