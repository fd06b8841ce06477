// SPDX-License-Identifier: BSD-3-Clause
// A pattern is a word in braces: {i}, {j}, {i+N}, {i-N}, and behind the coefficient {<i,j>}.
#include "models/patterns.hpp"

#include <algorithm>

#include "strata/config.hpp"

namespace strata {
namespace {

constexpr const char* bonds_word = "{<i,j>}";

bool is_pattern(const std::string& word) { return word.starts_with("{"); }
bool runs_over_bonds(const Item& term) { return term.words.size() > 1 && term.words[1] == bonds_word; }

constexpr const char* no_lattice =
    "has a pattern, which runs over the sites or bonds of a lattice: give lattice.type and lattice.extents, such as "
    "ring and 12.";

/// {i+N} or {j+N}.
struct Place {
    char index;
    std::int64_t offset;
};

std::optional<Place> parse_place(const std::string& word) {
    if (word.size() < 3 || (word[1] != 'i' && word[1] != 'j') || word.back() != '}') return {};
    if (word.size() == 3) return Place{word[1], 0};
    std::int64_t offset = 0;
    const bool minus = word[2] == '-';
    if ((!minus && word[2] != '+') || !parse_integer(word.substr(3, word.size() - 4), offset) || offset < 0) return {};
    return Place{word[1], minus ? -offset : offset};
}

Place place_of(const Item& term, const std::string& word) {
    const std::optional<Place> place = parse_place(word);
    if (!place)
        term.refuse(
            "has the pattern " + word +
            "; possible are {i}, {j}, {i+1}, {i-1} and other numbers, and {<i,j>} behind the coefficient for all "
            "bonds.");
    return *place;
}

void check_place(const Item& term, const std::string& word, const PatternLattice& lattice) {
    const std::int64_t offset = place_of(term, word).offset;
    if (offset == 0) return;
    if (lattice.type != "ring" && lattice.type != "chain")
        term.refuse("has the pattern " + word + ", which chains and rings have; lattice.type is " + lattice.type +
                    ". Give '{<i,j>}' for its bonds, or numbers of sites.");
    if (std::abs(offset) >= lattice.sites)
        term.refuse("has the pattern " + word + ", which leads around all " + std::to_string(lattice.sites) +
                    " sites; " + std::to_string(lattice.sites - 1) + " is the largest distance.");
}

}  // namespace

PatternLattice::PatternLattice(LatticeSpec spec) : type(spec.type) {
    spec.t = {1, 0, 0};  // neighbours alone
    const Lattice lattice = make_lattice(spec);
    sites = lattice.sites;
    for (const Edge& e : lattice.edges) {
        const bool weight =
            e.weight != 0 && spec.type != "checkerboard";  // whose edges within a sublattice have weights, too
        if (e.shell == Shell::first && (e.amplitude != Complex(0) || weight)) bonds.emplace_back(e.from, e.to);
    }
}

bool have_patterns(const std::vector<Item>& terms) {
    return std::ranges::any_of(terms, [](const Item& term) { return std::ranges::any_of(term.words, is_pattern); });
}

SitePattern pattern_of(const Item& term, const PatternLattice& lattice) {
    const bool bonds = runs_over_bonds(term);
    bool i = false, j = false;
    for (std::size_t word = bonds ? 2 : 1; word < term.words.size(); ++word)
        if (is_pattern(term.words[word])) {
            check_place(term, term.words[word], lattice);
            (place_of(term, term.words[word]).index == 'i' ? i : j) = true;
        }
    if (bonds && lattice.type == "none") term.refuse(no_lattice);
    if (bonds && !(i && j)) term.refuse("runs over bonds and does not name both sites {i} and {j}.");
    if (bonds) return SitePattern::bond;
    return j ? SitePattern::pair : i ? SitePattern::site : SitePattern::none;
}

std::optional<Item> with_sites(const Item& term, const PatternLattice& lattice, int i, int j) {
    Item result = term;
    if (runs_over_bonds(term)) result.words.erase(result.words.begin() + 1);
    for (std::string& word : result.words) {
        if (!is_pattern(word)) continue;
        const Place place = place_of(term, word);
        std::int64_t site = (place.index == 'i' ? i : j) + place.offset;
        if (lattice.type == "ring") site = (site + lattice.sites) % lattice.sites;
        if (site < 0 || site >= lattice.sites) return {};
        word = std::to_string(site);
    }
    return result;
}

std::vector<Item> all_terms(const std::vector<Item>& terms, const PatternLattice& lattice) {
    std::vector<Item> all;
    const auto add = [&](const Item& term, int i, int j) {
        if (const std::optional<Item> next = with_sites(term, lattice, i, j)) all.push_back(*next);
    };
    for (const Item& term : terms) {
        if (lattice.type == "none" && have_patterns({term})) term.refuse(no_lattice);
        switch (pattern_of(term, lattice)) {
            case SitePattern::none: add(term, 0, 0); break;
            case SitePattern::site:
                for (int i = 0; i < lattice.sites; ++i) add(term, i, 0);
                break;
            case SitePattern::bond:
                for (const auto& [i, j] : lattice.bonds) add(term, i, j);
                break;
            case SitePattern::pair:
                term.refuse(
                    "names {j}; a term of H runs over the sites {i}, or behind '{<i,j>}' over bonds, e.g. '1.0 "
                    "{<i,j>} Sz {i} Sz {j}'.");
        }
    }
    return all;
}

}  // namespace strata
