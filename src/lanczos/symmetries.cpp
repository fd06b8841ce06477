// SPDX-License-Identifier: BSD-3-Clause
// A permutation of the sites is a symmetry if it changes no hop, no energy and no interaction. With flux this holds
// because the lattice spreads the phase over all bonds (lattices/lattice.cpp).
#include "lanczos/symmetries.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <sstream>
#include <variant>

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

/// The first permutation r -> M r + t that changes nothing, in the order of the sites that site 0 is moved to; else what
/// the last one changes.
std::variant<SitePermutation, std::string> find_point_operation(const Model& model, const PlaneMap& map) {
    std::string change = model.lattice.torus.empty() ? "the lattice, whose cells are not known" : "the cluster";
    for (const SitePermutation& image : point_operations(model.lattice, map)) {
        change = changed_by(model, image);
        if (change.empty()) return image;
    }
    return change;
}

/// A point operation of the request that the model must have.
struct PointOperation {
    std::string key, words;
    PlaneMap map;
    std::int64_t turn;
};

std::int64_t sign_of(Parity parity, std::int64_t turns) { return parity == Parity::odd ? turns / 2 : 0; }

std::vector<PointOperation> point_operations_of(const SymmetryRequest& request, std::int64_t turns) {
    std::vector<PointOperation> all;
    if (request.parity != Parity::any)
        all.push_back({"sector.parity", "r -> -r", inversion, sign_of(request.parity, turns)});
    if (const auto [number, order] = request.rotation; order > 1)
        all.push_back({"sector.rotation", "a rotation by 2 pi / " + std::to_string(order),
                       rotation_by(2 * std::numbers::pi / order), number * (turns / order)});
    if (request.reflection != Parity::any)
        all.push_back({"sector.reflection", "(x, y) -> (x, -y)", reflection, sign_of(request.reflection, turns)});
    return all;
}

SymmetryOperation checked(const PointOperation& o, const Model& model) {
    if (o.key != "sector.parity" && model.lattice.torus.size() != 2)
        throw Error(ExitCode::bad_input,
                    o.key + " needs a lattice of two dimensions; a ring or chain takes sector.parity.");
    const auto found = find_point_operation(model, o.map);
    if (const auto* change = std::get_if<std::string>(&found))
        throw Error(ExitCode::bad_input,
                    o.key + " is not possible: " + o.words + " changes " + *change + ". Leave the key out.");
    return {std::get<SitePermutation>(found), o.turn};
}

/// The keys of a request with their values, for messages.
std::string words_of(const SymmetryRequest& request) {
    std::string text;
    const auto add = [&](const std::string& key, const std::string& value) {
        text += (text.empty() ? "sector." : ", sector.") + key + " = " + value;
    };
    const auto add_parity = [&](const std::string& key, Parity parity) {
        if (parity != Parity::any) add(key, parity == Parity::even ? "even" : "odd");
    };
    if (request.momenta == Momenta::one) add("momentum", list_of(request.momentum));
    add_parity("parity", request.parity);
    if (request.rotation.order > 1)
        add("rotation", std::to_string(request.rotation.number) + "/" + std::to_string(request.rotation.order));
    add_parity("reflection", request.reflection);
    add_parity("spin-inversion", request.spin_inversion);
    return text;
}

std::optional<SymmetryGroup> group_of(const SymmetryRequest& request, const Model& model) {
    const Lattice& lattice = model.lattice;
    std::vector<SymmetryOperation> operations;
    if (request.momenta != Momenta::none) {
        const std::vector<std::int64_t> zero(lattice.torus.size(), 0);
        operations = checked_translations(request.several() ? zero : request.momentum, model);
    }
    for (const PointOperation& o : point_operations_of(request, character_turns(lattice)))
        operations.push_back(checked(o, model));
    if (request.spin_inversion != Parity::any) {
        SitePermutation unmoved;
        for (int i = 0; i < lattice.sites; ++i) unmoved.push_back(i);
        operations.push_back({unmoved, sign_of(request.spin_inversion, character_turns(lattice)), true});
    }
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
    if (text == "all") return SymmetryRequest{Momenta::all};
    if (text == "auto") return SymmetryRequest{Momenta::automatic};
    std::string words = text;
    std::ranges::replace(words, ',', ' ');
    std::istringstream numbers(words);
    SymmetryRequest request{Momenta::one};
    for (std::int64_t m = 0; numbers >> m;) request.momentum.push_back(m);
    constexpr std::int64_t largest = 1000;
    const bool valid = numbers.eof() && !request.momentum.empty() && request.momentum.size() <= 2 &&
                       std::ranges::all_of(request.momentum, [](auto m) { return m >= -largest && m <= largest; });
    return valid ? std::optional(request) : std::nullopt;
}

std::optional<Rotation> parse_rotation(const std::string& text) {
    if (text.empty()) return Rotation{};
    std::istringstream words(text);
    Rotation r;
    char slash = 0;
    words >> r.number >> slash >> r.order;
    const bool valid = words && words.peek() == std::istringstream::traits_type::eof() && slash == '/' &&
                       std::ranges::count(std::array{2, 3, 4, 6}, r.order) == 1 && std::abs(r.number) < r.order;
    if (!valid) return {};
    r.number = (r.number + r.order) % r.order;
    return r;
}

std::shared_ptr<const SymmetryGroup> make_symmetry_group(const SymmetryRequest& request, const Model& model) {
    if (!request.any()) return nullptr;
    std::optional<SymmetryGroup> group = group_of(request, model);
    if (!group)
        throw Error(
            ExitCode::bad_input,
            "No state has " + words_of(request) +
                ": different factors belong to the same permutation of the sites. Take a momentum that the point "
                "operations leave unchanged (always: 0), with sector.reflection a rotation by the factor 1 or -1, "
                "and even or 0 for an operation that moves no site.");
    return std::make_shared<const SymmetryGroup>(std::move(*group));
}

namespace {

/// The maps of cells that are symmetries of the model, the identity first.
std::vector<std::array<std::array<int, 2>, 2>> maps_of(const Model& model) {
    std::vector<std::array<std::array<int, 2>, 2>> all = {{{{1, 0}, {0, 1}}}};
    for (const bool mirrored : {false, true})
        for (const int degrees : {0, 60, 90, 120, 180, 240, 270, 300}) {
            PlaneMap map = rotation_by(degrees * std::numbers::pi / 180);
            if (mirrored)
                for (Vector2& row : map) row[1] = -row[1];
            if (std::holds_alternative<SitePermutation>(find_point_operation(model, map)))
                all.push_back(*in_cells(model.lattice, map));
        }
    return all;
}

}  // namespace

std::string possible_symmetries(const Model& model) {
    const Lattice& lattice = model.lattice;
    if (lattice.torus.empty()) return {};  // read from a file
    std::vector<SymmetryOperation> operations;
    std::string words, keys;
    const auto add = [&](const std::string& what, const std::string& key) {
        words += (words.empty() ? "" : ", ") + what;
        keys += (keys.empty() ? "" : ", ") + key;
    };
    const auto moves = translations(lattice, Momentum(lattice.torus.size(), 0));
    if (std::ranges::all_of(moves, [&](const auto& o) { return changed_by(model, o.image).empty(); })) {
        operations = moves;
        add(std::to_string(lattice.sites / lattice.sublattices) + " translations", "sector.momentum");
    }
    const auto try_operation = [&](const SymmetryRequest& request) {
        const PointOperation o = point_operations_of(request, character_turns(lattice))[0];
        const auto found = find_point_operation(model, o.map);
        const auto* image = std::get_if<SitePermutation>(&found);
        if (image == nullptr || std::ranges::is_sorted(*image)) return false;
        operations.push_back({*image, 0});
        add(o.words, o.key);
        return true;
    };
    if (lattice.torus.size() == 2) {
        for (const int order : {6, 4, 3, 2})
            if (try_operation({.rotation = {0, order}})) break;
        try_operation({.reflection = Parity::even});
    } else {
        try_operation({.parity = Parity::even});
    }
    if (operations.empty()) return {};
    const auto group = SymmetryGroup::generated_by(operations, character_turns(lattice), lattice.sites);
    return "H is left unchanged by " + words + ": " + std::to_string(group->order()) + " symmetries; " +
           "in a sector (" + keys + ") vectors are smaller by " +
           (model.spin_components == 2 ? "their number" : "a quarter of their number");
}

std::vector<std::vector<Momentum>> momentum_stars(const SymmetryRequest& request, const Model& model) {
    const Lattice& lattice = model.lattice;
    const std::int64_t turns = character_turns(lattice);
    // a momentum is known by the factors of the translations along the axes
    const auto factors = [&](const Momentum& m) {
        std::array<std::int64_t, 2> all = {0, 0};
        const auto operations = translations(lattice, m);
        for (std::size_t i = 0; i < operations.size(); ++i) all[i] = operations[i].turn;
        return all;
    };
    // an operation that maps a cell r to M r makes the momentum k M of the momentum k
    const auto mapped = [&](const std::array<std::int64_t, 2>& f, const auto& map, int sign) {
        std::array<std::int64_t, 2> result;
        for (std::size_t j = 0; j < 2; ++j)
            result[j] = ((sign * (f[0] * map[0][j] + f[1] * map[1][j])) % turns + turns) % turns;
        return result;
    };
    const bool no_point_operations = !request.point_operations();
    const auto maps = no_point_operations ? maps_of(model) : decltype(maps_of(model)){{{{1, 0}, {0, 1}}}};
    const bool opposite = model.real() && 2 * request.rotation.number % request.rotation.order == 0;
    std::vector<std::vector<Momentum>> stars;
    for (const Momentum& m : lattice.momenta()) {
        if (!group_of(request.with_momentum(m), model)) continue;
        const auto own = mapped(factors(m), maps[0], 1);
        const auto star = std::ranges::find_if(stars, [&](const std::vector<Momentum>& s) {
            const auto first = factors(s[0]);
            return std::ranges::any_of(maps, [&](const auto& map) {
                return mapped(first, map, 1) == own || (opposite && mapped(first, map, -1) == own);
            });
        });
        if (star == stars.end())
            stars.push_back({m});
        else
            star->push_back(m);
    }
    return stars;
}

}  // namespace strata::lanczos
