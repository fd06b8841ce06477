// SPDX-License-Identifier: BSD-3-Clause
// Both sides of a pure state have the same entropies, and the smaller one has the smaller density matrix.
#include "models/cut.hpp"

#include <algorithm>

#include "models/text.hpp"
#include "strata/config.hpp"

namespace strata {
namespace {

/// The sites that the text names.
std::vector<int> named_sites(const std::string& text, int sites, const std::string& what) {
    const std::vector<Item> items = items_of("run.cut", text);
    const Item item = items.empty() ? Item{"run.cut", text, {}} : items[0];
    const std::string rule = "is no cut 'first 6' or list of " + what + "s such as 0,3,4.";
    std::vector<int> chosen;
    if (items.size() == 1 && item.words[0] == "first") {
        std::int64_t count = 0;
        if (item.words.size() != 2 || !parse_integer(item.words[1], count)) item.refuse(rule);
        if (count < 1 || count >= sites)
            item.refuse("must leave " + what + "s on both sides: 1 to " + std::to_string(sites - 1) + " of the " +
                        std::to_string(sites) + " " + what + "s.");
        for (int j = 0; j < count; ++j) chosen.push_back(j);
        return chosen;
    }
    std::vector<std::int64_t> listed;
    std::string error;
    if (items.size() != 1 || !parse_integers(text, listed, error) || listed.empty()) item.refuse(rule);
    for (const std::int64_t j : listed) {
        if (j < 0 || j >= sites)
            item.refuse("names " + what + " " + std::to_string(j) + "; " + what + "s are numbered from 0 to " +
                        std::to_string(sites - 1) + ".");
        chosen.push_back(static_cast<int>(j));
    }
    std::ranges::sort(chosen);
    if (std::ranges::adjacent_find(chosen) != chosen.end()) item.refuse("names a " + what + " twice.");
    if (static_cast<int>(chosen.size()) == sites) item.refuse("leaves no " + what + " on the other side.");
    return chosen;
}

}  // namespace

std::vector<int> smaller_side(const std::string& text, int sites, const std::string& what) {
    std::vector<int> chosen = named_sites(text, sites, what), rest = other_side(chosen, sites);
    return rest.size() < chosen.size() ? rest : chosen;
}

std::vector<int> other_side(const std::vector<int>& chosen, int sites) {
    std::vector<int> rest;
    for (int j = 0; j < sites; ++j)
        if (!std::ranges::binary_search(chosen, j)) rest.push_back(j);
    return rest;
}

}  // namespace strata
