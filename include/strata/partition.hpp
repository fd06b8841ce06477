// SPDX-License-Identifier: BSD-3-Clause
// Contiguous ranges of a global index, one per part (rank or thread), in order and without gaps.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace strata {

/// Half-open range [first, last) of a global index.
struct Range {
    std::uint64_t first = 0;
    std::uint64_t last = 0;

    constexpr std::uint64_t size() const { return last - first; }
    constexpr bool empty() const { return last == first; }
    constexpr bool contains(std::uint64_t index) const { return index >= first && index < last; }
    friend constexpr bool operator==(const Range&, const Range&) = default;
};

/// The range of `part` when `count` items are divided into `parts` ranges whose sizes differ by at most one; the longer
/// ranges are the first ones.
constexpr Range equal_part(std::uint64_t count, std::uint64_t parts, std::uint64_t part) {
    const std::uint64_t base = count / parts;
    const std::uint64_t longer = count % parts;
    const std::uint64_t first = part * base + (part < longer ? part : longer);
    return {first, first + base + (part < longer ? 1 : 0)};
}

/// The part whose range equal_part(count, parts, .) contains item `index`.
constexpr std::uint64_t part_of(std::uint64_t count, std::uint64_t parts, std::uint64_t index) {
    const std::uint64_t base = count / parts;
    const std::uint64_t longer = count % parts;
    const std::uint64_t in_longer = longer * (base + 1);
    return index < in_longer ? index / (base + 1) : longer + (index - in_longer) / base;
}

/// Boundaries of `parts` contiguous ranges of items with nearly equal sums of `costs` (part p is [result[p], result[p +
/// 1])): boundary p is where the running sum is nearest to p / parts of the total. Parts may be empty if single items
/// cost more than a share. The result depends on the costs and `parts` alone.
std::vector<std::uint64_t> weighted_parts(std::span<const std::uint64_t> costs, std::uint64_t parts);

}  // namespace strata
