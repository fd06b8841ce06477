// SPDX-License-Identifier: BSD-3-Clause
// Neighbours of a patch are looked up in a table over the particle numbers of the left block.
#include "superblock/target.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>

namespace strata::superblock {

std::vector<Term> terms_of_rule(const std::vector<Patch>& patches, Rule rule, std::uint64_t operators) {
    std::map<std::pair<int, int>, std::size_t> index;
    for (std::size_t i = 0; i < patches.size(); ++i) index[{patches[i].up, patches[i].down}] = i;
    std::vector<Term> terms;
    for (std::size_t i = 0; i < patches.size(); ++i) {
        std::vector<std::size_t> others;
        for (int up = -1; up <= 1; ++up)
            for (int down = -1; down <= 1; ++down) {
                if (rule == Rule::axis && std::abs(up) + std::abs(down) > 1) continue;
                const auto other = index.find({patches[i].up + up, patches[i].down + down});
                if (other != index.end() && other->second >= i) others.push_back(other->second);
            }
        std::ranges::sort(others);
        for (std::size_t j : others) terms.push_back({i, j, operators});
    }
    return terms;
}

}  // namespace strata::superblock
