// SPDX-License-Identifier: BSD-3-Clause
// A charge is conserved if no product of H changes it (OperatorSum::changes).
#include "models/filling.hpp"

#include <algorithm>
#include <cmath>

#include "strata/error.hpp"

namespace strata {
namespace {

[[noreturn]] void refuse_filling(const std::string& sentence) { throw Error(ExitCode::bad_input, sentence); }

/// Whether the application declares the key and it has a value.
bool is_set(const Config& config, const char* key) { return config.has(key) && !config.value(key).text.empty(); }

void refuse_key(const Config& config, const char* key, const std::string& instead) {
    if (config.has(key) && config.given(key)) refuse_filling(config.cite(key) + " does not apply: " + instead);
}

/// Number of particles that a key gives, otherwise a default; more than there are sites are refused.
int particles(const Config& config, const char* key, int otherwise, int sites) {
    if (!is_set(config, key)) return otherwise;
    const std::int64_t number = config.integer(key);
    if (number > sites)
        refuse_filling(config.cite(key) + " is more than the " + std::to_string(sites) +
                       " sites hold, one particle of each spin component on a site; use at most " +
                       std::to_string(sites) + ".");
    return static_cast<int>(number);
}

/// Half of a whole number, as a user types it.
std::string half_text(int twice) { return twice % 2 == 0 ? std::to_string(twice / 2) : std::to_string(twice) + "/2"; }

/// The total S^z as a whole number, doubled; `all`: the doubled largest one.
int twice_sz(const Config& config, int all, int sites) {
    const double twice = 2 * config.real("sector.sz");
    if (std::abs(twice) > all)
        refuse_filling(config.cite("sector.sz") + " is more than the spins of " + std::to_string(sites) +
                       " sites have; use a value from -" + half_text(all) + " to " + half_text(all) + ".");
    return static_cast<int>(std::lround(twice));
}

/// A product that changes the charge a N_down + b N_up.
std::string changing_term(const OperatorSum& others, int a, int b) {
    for (const auto& [product, coefficient] : others.terms()) {
        const ChargeChange change = change_of(product);
        if (a * change[0] + b * change[1] != 0) return text_of(product, others.kind());
    }
    return "none";
}

/// Refuses more electrons than sites that hold one each.
void check_projected(const Config& config, const char* key, std::int64_t electrons, int sites) {
    if (electrons > sites)
        refuse_filling(config.cite(key) + " makes " + std::to_string(electrons) + " electrons on " +
                       std::to_string(sites) + " sites of model.type = t-j, which hold one each; use at most " +
                       std::to_string(sites) + " together.");
}

Filling filling_of_less(const Config& config, Conserved conserved, int sites, const OperatorSum& others) {
    const bool electrons = others.kind() == SiteKind::electrons;
    const std::string changed = " changes it; ", term = "H does not conserve it, since the term ";
    const std::string instead = conserved == Conserved::particles ? "give sector.particles, which it conserves."
                                : conserved == Conserved::spin    ? "give sector.sz, which it conserves."
                                : conserved == Conserved::parity
                                    ? "leave it out for all states, or give sector.number-parity, which it conserves."
                                    : "leave it out: all states are taken.";
    const auto refuse_number = [&](const char* key, int a, int b) {
        refuse_key(config, key, term + changing_term(others, a, b) + changed + instead);
    };
    refuse_number("sector.up", electrons ? 0 : 1, 1);
    refuse_number("sector.down", 1, 0);
    if (conserved != Conserved::spin) refuse_number("sector.sz", electrons ? -1 : 1, 1);
    if (conserved != Conserved::particles) refuse_number("sector.particles", 1, 1);
    if (conserved == Conserved::nothing) refuse_number("sector.number-parity", 1, 1);
    switch (conserved) {
        case Conserved::particles: {
            const std::int64_t n = is_set(config, "sector.particles") ? config.integer("sector.particles") : sites;
            if (n > 2 * sites)
                refuse_filling(config.cite("sector.particles") + " is more than the " + std::to_string(sites) +
                               " sites hold; use at most " + std::to_string(2 * sites) + ".");
            return {static_cast<int>(n), 0, conserved};
        }
        case Conserved::spin: {
            const int twice = is_set(config, "sector.sz") ? twice_sz(config, sites, sites) : 0;
            if (is_set(config, "sector.sz") && twice != 2 * config.real("sector.sz"))
                refuse_filling(config.cite("sector.sz") + " is not a multiple of 1/2.");
            return {twice, 0, conserved};
        }
        case Conserved::parity: {
            const std::string parity = config.has("sector.number-parity") ? config.text("sector.number-parity") : "any";
            if (parity != "any") return {parity == "odd" ? 1 : 0, 0, conserved};
            return {0, 0, Conserved::nothing};
        }
        default: return {0, 0, conserved};
    }
}

}  // namespace

Conserved conserved_by(const OperatorSum& sum) {
    const std::set<ChargeChange> changes = sum.changes();
    const auto all = [&](auto rule) {
        return std::ranges::all_of(changes, [&](const ChargeChange& c) { return rule(c[0], c[1]); });
    };
    if (all([](int down, int up) { return down == 0 && up == 0; })) return Conserved::numbers;
    if (all([](int down, int up) { return down + up == 0; })) return Conserved::particles;
    if (sum.kind() == SiteKind::electrons && all([](int down, int up) { return down == up; })) return Conserved::spin;
    return all([](int down, int up) { return (down + up) % 2 == 0; }) ? Conserved::parity : Conserved::nothing;
}

FillingChange filling_change(const ChargeChange& change, SiteKind kind, Conserved conserved) {
    const auto [down, up] = change;
    switch (conserved) {
        case Conserved::numbers: return kind == SiteKind::electrons ? FillingChange{up, down} : FillingChange{down, 0};
        case Conserved::particles: return {up + down, 0};
        case Conserved::spin: return {up - down, 0};
        case Conserved::parity: return {std::abs(up + down) % 2, 0};
        default: return {};
    }
}

std::string text_of(const FillingChange& change, SiteKind kind, Conserved conserved) {
    const auto by = [](const std::string& what, int number) { return what + " by " + std::to_string(number); };
    const bool electrons = kind == SiteKind::electrons;
    switch (conserved) {
        case Conserved::numbers: {
            if (!electrons) return by(kind == SiteKind::spins ? "Sz" : "the number of particles", change.up);
            const std::string up = by("the number of electrons with spin up", change.up),
                              down = by("the number of electrons with spin down", change.down);
            return change.down == 0 && change.up != 0   ? up
                   : change.up == 0 && change.down != 0 ? down
                                                        : up + " and " + by("of those with spin down", change.down);
        }
        case Conserved::particles: return by("the number of electrons", change.up);
        case Conserved::spin: return by("N_up - N_down", change.up);
        case Conserved::parity: return by("the parity of the number of particles or spins up", change.up);
        default: return "nothing";
    }
}

Filling changed(const Filling& filling, const FillingChange& change) {
    const int up = filling.up + change.up;
    return {filling.conserved == Conserved::parity ? std::abs(up) % 2 : up, filling.down + change.down,
            filling.conserved};
}

std::vector<Filling> all_fillings(const ModelConfig& model, int sites, Conserved conserved) {
    std::vector<Filling> all;
    const bool electrons = model.kind() == SiteKind::electrons;
    const int most = model.spins() ? model.twice_spin * sites : sites, together = model.projected() ? sites : 2 * sites;
    const auto add = [&](int first, int last) {
        for (int number = first; number <= last; ++number) all.push_back({number, 0, conserved});
    };
    switch (conserved) {
        case Conserved::numbers:
            if (!electrons) add(0, most);
            for (int up = 0; electrons && up <= sites; ++up)
                for (int down = 0; down <= std::min(sites, together - up); ++down) all.push_back({up, down, conserved});
            break;
        case Conserved::particles: add(0, together); break;
        case Conserved::spin: add(-sites, sites); break;
        case Conserved::parity: add(0, 1); break;
        case Conserved::nothing: add(0, 0); break;
    }
    return all;
}

OperatorSum other_terms(const ModelConfig& config, const LatticeModel& model) {
    OperatorSum sum = model.others;
    if (!config.spins()) return sum;
    const auto add = [&](const OperatorProduct& product, Complex coefficient) {
        OperatorSum term = OperatorSum::product(SiteKind::spins, product, coefficient);
        sum += term.conjugate();
        sum += term;
    };
    for (std::size_t e = 0; e < model.lattice.edges.size(); ++e) {
        const Edge& edge = model.lattice.edges[e];
        const auto& [jx, jy, jz] = model.exchange[e];
        if (jx == jy) continue;
        if (edge.amplitude.imag() != 0 && edge.shell != Shell::term)
            refuse_filling(
                "The bond of sites " + std::to_string(edge.from) + " and " + std::to_string(edge.to) +
                " has a complex amplitude and different couplings Jx and Jy; a phase turns both into each other. "
                "Give its terms by model.terms.");
        add({{Mode::down, edge.from, Local::raise}, {Mode::down, edge.to, Local::raise}}, (jx - jy) / 4);
    }
    for (int site = 0; site < model.lattice.sites; ++site) {
        const auto i = static_cast<std::size_t>(site);
        add({{Mode::down, site, Local::raise}}, {model.field[0][i] / 2, 0 - model.field[1][i] / 2});
    }
    return sum;
}

Filling resolve_filling(const Config& config, const ModelConfig& model, int sites, const OperatorSum& others) {
    const Conserved conserved = conserved_by(others);
    if (model.model == ModelType::terms)
        for (const auto& [key, applies] : {std::pair("sector.sz", model.spins() || conserved == Conserved::spin),
                                           std::pair("sector.down", model.kind() == SiteKind::electrons)})
            if (!applies && is_set(config, key))
                refuse_filling(config.cite(key) + " does not apply to the sites of model.terms, which are " +
                               name_of(model.kind()) + "; leave it out.");
    if (conserved != Conserved::numbers) {
        const Filling filling = filling_of_less(config, conserved, sites, others);
        if (model.projected() && conserved == Conserved::particles)
            check_projected(config, "sector.particles", filling.up, sites);
        return filling;
    }
    refuse_key(config, "sector.particles",
               model.components() == 2 ? "give sector.up and sector.down, which H conserves."
               : model.spins()         ? "give sector.sz, which H conserves."
                                       : "give sector.up, which H conserves.");
    refuse_key(config, "sector.number-parity", "H conserves the numbers themselves; leave it out.");
    if (!model.spins()) {
        Filling filling = {particles(config, "sector.up", (sites + 1) / 2, sites), 0};
        if (model.components() == 2) filling.down = particles(config, "sector.down", sites / 2, sites);
        if (model.projected())
            check_projected(config, is_set(config, "sector.up") ? "sector.up" : "sector.down",
                            std::int64_t{filling.up} + filling.down, sites);
        return filling;
    }
    const int all = model.twice_spin * sites;  // twice the largest total Sz
    if (is_set(config, "sector.up"))
        refuse_filling(
            config.cite("sector.up") + " counts electrons; of spins give the total Sz, e.g. sector.sz = " +
            half_text(static_cast<int>(std::clamp<std::int64_t>(2 * config.integer("sector.up") - all, -all, all))) +
            ".");
    if (!is_set(config, "sector.sz")) return {(all + 1) / 2, 0};
    const int rounded = twice_sz(config, all, sites);
    if (rounded != 2 * config.real("sector.sz") || (rounded + all) % 2 != 0) {
        const int lower = rounded - ((rounded + all) % 2 == 0 ? 0 : 1);
        refuse_filling(config.cite("sector.sz") + " cannot be the total Sz of " + std::to_string(sites) +
                       " sites, which is " + (all % 2 == 0 ? "a whole number" : "half of an odd number") +
                       "; the nearest is " + half_text(lower) + ".");
    }
    return {(rounded + all) / 2, 0};
}

}  // namespace strata
