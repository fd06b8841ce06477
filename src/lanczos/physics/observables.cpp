// SPDX-License-Identifier: BSD-3-Clause
// A family is read once for every member, with numbers in the place of its patterns.
#include "lanczos/physics/observables.hpp"

#include <algorithm>

#include "models/operator_text.hpp"
#include "strata/error.hpp"

namespace strata::lanczos {
namespace {

/// A line without its name and "=".
Item without_name(const Item& line) {
    Item term = {line.place, {}, {line.words.begin() + 2, line.words.end()}};
    for (const std::string& word : term.words) term.text += (term.text.empty() ? "" : " ") + word;
    return term;
}

/// Names are those of lists in files, and none of other results of states.
void check_name(const Item& line) {
    static constexpr const char* others[] = {"energy",      "steps",   "converged", "residual",         "degeneracy",
                                             "occupation",  "density", "spin",      "double-occupancy", "momentum",
                                             "next-energy", "site-x",  "site-y",    "wave-vector",      "energies"};
    constexpr const char* rule =
        "is no line 'NAME = coefficient operator site [operator site ...]', e.g. 'pair = 1 n_up "
        "{i} n_dn {j}'.";
    if (line.words.size() < 2 || line.words[1] != "=") line.refuse(rule);
    const std::string& name = line.words[0];
    const auto allowed = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; };
    if (name[0] < 'a' || name[0] > 'z' || !std::ranges::all_of(name, allowed))
        line.refuse("has the name " + name + "; a name has small letters, digits and '-', and begins with a letter.");
    for (const char* other : others)
        if (name.starts_with(other))
            line.refuse("has the name " + name + ", as results of the program that begin with " + other +
                        "; take another, e.g. my-" + name + ".");
}

/// How far a product leaves its sector; empty if it stays.
std::string leaves(const ChargeChange& change, SiteKind kind, Conserved conserved) {
    const auto [down, up] = change;
    const auto by = [](const std::string& what, int number) {
        return what + " by " + std::to_string(std::abs(number));
    };
    const bool electrons = kind == SiteKind::electrons;
    switch (conserved) {
        case Conserved::numbers:
            if (!electrons && down != 0) return by(kind == SiteKind::spins ? "Sz" : "the number of particles", down);
            if (up != 0) return by("the number of electrons with spin up", up);
            return down != 0 ? by("the number of electrons with spin down", down) : "";
        case Conserved::particles: return up + down != 0 ? by("the number of electrons", up + down) : "";
        case Conserved::spin: return up != down ? by("N_up - N_down", up - down) : "";
        case Conserved::parity: return (up + down) % 2 != 0 ? "the parity of the number of particles or spins up" : "";
        default: return "";
    }
}

/// Sums over sites and over bonds have members of different kinds.
SitePattern joined(SitePattern all, const Item& term, const PatternLattice& lattice) {
    const SitePattern next = pattern_of(term, lattice);
    if (next == SitePattern::none || all == SitePattern::none || next == all) return std::max(all, next);
    if (next == SitePattern::bond || all == SitePattern::bond)
        term.refuse(
            "runs over other sites than a line of the same name, of which one runs over bonds; give them two names.");
    return SitePattern::pair;
}

}  // namespace

bool Observable::hermitian() const {
    return std::ranges::all_of(members, [](const OperatorSum& o) { return o.is_hermitian(); });
}

bool Observable::real() const {
    return std::ranges::all_of(members, [](const OperatorSum& o) { return o.is_real(); });
}

std::vector<Observable> observables_of(const LanczosConfig& config) {
    return read_observables(config.observables, config.kind(), config.twice_spin, PatternLattice(config.lattice),
                            config.conserved);
}

std::optional<Observable> own_operator(const LanczosConfig& config) {
    if (config.task != Task::spectrum || config.spectrum.op != SpectralOperator::observable) return {};
    const std::vector<Observable> all = observables_of(config);
    const bool one = all.size() == 1 && (all[0].pattern == SitePattern::none || all[0].pattern == SitePattern::site);
    if (!one)
        throw Error(ExitCode::bad_input,
                    "A spectrum is that of one operator, or of one list over the sites {i}; observables.file = " +
                        config.observables.name +
                        (all.empty()       ? " has none."
                         : all.size() == 1 ? " has a list over pairs or bonds."
                                           : " has " + std::to_string(all.size()) + " names."));
    return all[0];
}

OperatorSum weighted_sum(const Observable& o, const std::vector<Complex>& weights) {
    OperatorSum sum(o.members[0].kind());
    for (std::size_t j = 0; j < weights.size(); ++j) {
        OperatorSum member = o.members[j];
        member *= weights[j];
        sum += member;
    }
    sum.remove_rounding();
    return sum;
}

std::vector<std::pair<int, int>> places_of(SitePattern pattern, const PatternLattice& lattice) {
    if (pattern == SitePattern::none) return {{0, 0}};
    std::vector<std::pair<int, int>> places;
    if (pattern == SitePattern::bond)
        for (const std::pair<int, int>& bond : lattice.bonds)
            if (std::ranges::find(places, bond) == places.end()) places.push_back(bond);
    if (pattern == SitePattern::site || pattern == SitePattern::pair)
        for (int i = 0; i < lattice.sites; ++i)
            for (int j = 0; j < (pattern == SitePattern::pair ? lattice.sites : 1); ++j) places.emplace_back(i, j);
    return places;
}

std::vector<Observable> read_observables(const NamedText& file, SiteKind kind, int twice_spin,
                                         const PatternLattice& lattice, Conserved conserved) {
    const OperatorLimits limits = {.max_sites = lattice.sites, .twice_spin = twice_spin, .products = SpinProducts::any};
    std::vector<Observable> all;
    std::vector<std::vector<Item>> terms;
    for (const Item& line : lines_of(file)) {
        check_name(line);
        auto found = std::ranges::find(all, line.words[0], &Observable::name);
        if (found == all.end()) {
            all.push_back({line.words[0], {}, SitePattern::none, {}});
            terms.emplace_back();
            found = all.end() - 1;
        }
        const Item term = without_name(line);
        found->text += (found->text.empty() ? "" : "; ") + term.text;
        found->pattern = joined(found->pattern, term, lattice);
        terms[static_cast<std::size_t>(found - all.begin())].push_back(term);
    }
    for (std::size_t n = 0; n < all.size(); ++n)
        for (const auto& [i, j] : places_of(all[n].pattern, lattice)) {
            std::vector<Item> member;
            for (const Item& term : terms[n])
                if (std::optional<Item> there = with_sites(term, lattice, i, j)) member.push_back(std::move(*there));
            const OperatorList list = read_operators(member, kind, limits);
            OperatorSum& o = all[n].members.emplace_back(list.sum());
            for (const auto& [product, coefficient] : o.terms())
                if (const std::string far = leaves(change_of(product), kind, conserved); !far.empty())
                    list.line_with(product).refuse(
                        "changes " + far +
                        " and leaves the sector: its expectation value is 0, and it has no spectrum.");
        }
    return all;
}

}  // namespace strata::lanczos
