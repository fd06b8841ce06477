// SPDX-License-Identifier: BSD-3-Clause
// A permutation of the sites is a symmetry if it changes no hop, no energy and no interaction. With flux this holds
// because the lattice spreads the phase over all bonds (lattices/lattice.cpp).
#include "lanczos/symmetries.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "strata/error.hpp"

namespace strata::lanczos {
namespace {

/// Where a permutation of the sites changes the model, as words for a message ("the hop between sites 3 and 4"); empty
/// if it changes nothing.
std::string changed_by(const Model& model, const SitePermutation& image) {
    const auto hops = model.hops();
    const std::vector<double> pairs = pair_energies(model);
    const auto sites = static_cast<std::size_t>(model.lattice.sites);
    const auto to = [&](std::size_t i) { return static_cast<std::size_t>(image[i]); };
    const auto differ = [](Complex a, Complex b) { return std::abs(a - b) > 1e-12 * (std::abs(a) + std::abs(b)); };
    const auto between = [](std::size_t i, std::size_t j) {
        return " between sites " + std::to_string(i) + " and " + std::to_string(j);
    };
    for (std::size_t i = 0; i < sites; ++i) {
        if (differ(model.epsilon[i], model.epsilon[to(i)])) return "the energy of site " + std::to_string(i);
        for (std::size_t j = 0; j < sites; ++j) {
            const auto amplitude = [&](std::size_t a, std::size_t b) {
                const auto hop = hops.find({static_cast<int>(a), static_cast<int>(b)});
                return hop == hops.end() ? Complex(0) : hop->second;
            };
            if (differ(amplitude(i, j), amplitude(to(i), to(j)))) return "the hop" + between(i, j);
            if (!pairs.empty() && differ(pairs[i * sites + j], pairs[to(i) * sites + to(j)]))
                return i == j ? "the interaction on site " + std::to_string(i) : "the interaction" + between(i, j);
        }
    }
    return {};
}

std::vector<SymmetryOperation> checked_translations(const std::vector<std::int64_t>& m, const Model& model) {
    const Lattice& lattice = model.lattice;
    if (lattice.torus.empty())
        throw Error(ExitCode::bad_input,
                    "sector.momentum needs a lattice of cells, which lattice.type = file does not tell.");
    if (m.size() != lattice.torus.size())
        throw Error(ExitCode::bad_input, "sector.momentum = " + list_of(m) + " has " + std::to_string(m.size()) +
                                             " numbers; this lattice takes " + std::to_string(lattice.torus.size()) +
                                             ", one for each direction.");
    std::vector<SymmetryOperation> all = translations(lattice, m);
    for (std::size_t axis = 0; axis < all.size(); ++axis)
        if (const std::string change = changed_by(model, all[axis].image); !change.empty())
            throw Error(ExitCode::bad_input,
                        "sector.momentum is not possible: a translation by one cell along direction " +
                            std::to_string(axis + 1) + " changes " + change + ". Leave the key out.");
    return all;
}

SymmetryOperation checked_inversion(Parity parity, const Model& model) {
    std::string change = "the lattice, whose cells are not known";
    for (const SitePermutation& image : point_operations(model.lattice, {{{-1, 0}, {0, -1}}})) {
        change = changed_by(model, image);
        if (change.empty()) return {image, parity == Parity::odd ? character_turns(model.lattice) / 2 : 0};
    }
    throw Error(ExitCode::bad_input,
                "sector.parity is not possible: r -> -r changes " + change + ". Leave the key out.");
}

std::optional<SymmetryGroup> group_of(const SymmetryRequest& request, const Model& model) {
    const Lattice& lattice = model.lattice;
    std::vector<SymmetryOperation> operations;
    if (request.momenta != Momenta::none) {
        const std::vector<std::int64_t> zero(lattice.torus.size(), 0);
        operations = checked_translations(request.several() ? zero : request.momentum, model);
    }
    if (request.parity != Parity::any) operations.push_back(checked_inversion(request.parity, model));
    return SymmetryGroup::generated_by(operations, character_turns(lattice), lattice.sites);
}

}  // namespace

std::string list_of(const std::vector<std::int64_t>& momentum) {
    std::string text;
    for (std::int64_t i : momentum) text += (text.empty() ? "" : ",") + std::to_string(i);
    return text;
}

std::optional<SymmetryRequest> parse_momentum(const std::string& text) {
    if (text.empty()) return SymmetryRequest{};
    if (text == "all") return SymmetryRequest{Momenta::all, {}, Parity::any};
    if (text == "auto") return SymmetryRequest{Momenta::automatic, {}, Parity::any};
    std::string words = text;
    std::ranges::replace(words, ',', ' ');
    std::istringstream numbers(words);
    SymmetryRequest request{Momenta::one, {}, Parity::any};
    for (std::int64_t m = 0; numbers >> m;) request.momentum.push_back(m);
    constexpr std::int64_t largest = 1000;
    const bool valid = numbers.eof() && !request.momentum.empty() && request.momentum.size() <= 2 &&
                       std::ranges::all_of(request.momentum, [](auto m) { return m >= -largest && m <= largest; });
    return valid ? std::optional(request) : std::nullopt;
}

std::shared_ptr<const SymmetryGroup> make_symmetry_group(const SymmetryRequest& request, const Model& model) {
    if (!request.any()) return nullptr;
    std::optional<SymmetryGroup> group = group_of(request, model);
    if (!group)
        throw Error(
            ExitCode::bad_input,
            "sector.parity is not possible with sector.momentum = " + list_of(request.momentum) +
                ": r -> -r leads to another momentum, or there is no such state. Take a momentum k with k = -k.");
    return std::make_shared<const SymmetryGroup>(std::move(*group));
}

bool has_opposite(const Lattice& lattice, const std::vector<std::int64_t>& momentum) {
    const auto operations = translations(lattice, momentum);
    const std::int64_t turns = character_turns(lattice);
    return !std::ranges::all_of(operations, [&](const SymmetryOperation& o) { return 2 * o.turn % turns == 0; });
}

std::vector<std::vector<std::int64_t>> distinct_momenta(const SymmetryRequest& request, const Model& model) {
    const Lattice& lattice = model.lattice;
    const std::int64_t turns = character_turns(lattice);
    // a momentum is known by the factors of the translations along the axes
    const auto factors = [&](std::vector<std::int64_t> m, std::int64_t sign) {
        for (std::int64_t& i : m) i *= sign;
        std::vector<std::int64_t> all;
        for (const SymmetryOperation& o : translations(lattice, m)) all.push_back((o.turn % turns + turns) % turns);
        return all;
    };
    std::vector<std::vector<std::int64_t>> distinct, seen;
    for (const std::vector<std::int64_t>& m : lattice.momenta()) {
        if (model.real() && std::ranges::count(seen, factors(m, -1)) != 0) continue;
        if (!group_of(request.with_momentum(m), model)) continue;
        seen.push_back(factors(m, 1));
        distinct.push_back(m);
    }
    return distinct;
}

}  // namespace strata::lanczos
