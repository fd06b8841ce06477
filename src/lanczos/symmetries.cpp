// SPDX-License-Identifier: BSD-3-Clause
// A permutation of the sites is a symmetry if it changes no hop, no energy and no interaction. With flux this holds
// because the lattice spreads the phase over all bonds (lattices/lattice.cpp).
#include "lanczos/symmetries.hpp"

#include <algorithm>
#include <sstream>

#include "lanczos/symmetric_sector.hpp"
#include "strata/error.hpp"

namespace strata::lanczos {
namespace {

std::string list_of(const std::vector<std::int64_t>& m) {
    std::string text;
    for (std::int64_t i : m) text += (text.empty() ? "" : ",") + std::to_string(i);
    return text;
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
