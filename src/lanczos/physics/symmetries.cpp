// SPDX-License-Identifier: BSD-3-Clause
// The keys of a sector are converted into operations, and these generate a group with its factors. The permutations of the
// operations do not depend on the factors (point_operations.hpp).
#include "lanczos/physics/symmetries.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <sstream>

#include "lanczos/physics/particle_hole.hpp"
#include "lanczos/physics/point_operations.hpp"
#include "models/wave_vectors.hpp"
#include "strata/error.hpp"

namespace strata::lanczos {
namespace {

std::vector<SymmetryOperation> checked_translations(const std::vector<std::int64_t>& m, const Couplings& couplings,
                                                    const Lattice& lattice) {
    if (lattice.torus.empty())
        throw Error(ExitCode::bad_input,
                    "sector.momentum needs a lattice of cells, which neither lattice.type = file nor model.type = "
                    "terms tells.");
    if (m.size() != lattice.torus.size())
        throw Error(ExitCode::bad_input, "sector.momentum = " + list_of(m) + " has " + std::to_string(m.size()) +
                                             " numbers; this lattice takes " + std::to_string(lattice.torus.size()) +
                                             ", one for each direction.");
    if (const std::string inside = inside_the_zone(m, lattice); !inside.empty())
        throw Error(ExitCode::bad_input, "sector.momentum = " + list_of(m) + inside);
    std::vector<SymmetryOperation> all = translations(lattice, m);
    for (std::size_t axis = 0; axis < all.size(); ++axis)
        if (const std::string change = couplings.changed_by(all[axis].image); !change.empty())
            throw Error(ExitCode::bad_input,
                        "sector.momentum is not possible: a translation by one cell along direction " +
                            std::to_string(axis + 1) + " changes " + change + ". Leave the key out.");
    return all;
}

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
    add_parity("particle-hole", request.particle_hole);
    return text;
}

/// The checked operations of a request except its translations. Their permutations do not depend on the momentum.
std::vector<SymmetryOperation> other_operations(const SymmetryRequest& request, const Couplings& couplings,
                                                const Lattice& lattice) {
    const std::int64_t turns = character_turns(lattice);
    const std::vector<PointOperation> points = point_operations_of(request, turns);
    for (const PointOperation& o : points)
        if (o.key != "sector.parity" && lattice.torus.size() != 2)
            throw Error(ExitCode::bad_input,
                        o.key + " needs a lattice of two dimensions; a ring or chain takes sector.parity.");
    std::vector<SymmetryOperation> moves;
    if (request.momenta != Momenta::none) moves = translations(lattice, Momentum(lattice.torus.size(), 0));
    std::vector<SymmetryOperation> all = about_one_centre(points, moves, couplings, lattice);
    if (request.complements()) {
        const Parity parity = request.spin_inversion != Parity::any ? request.spin_inversion : request.particle_hole;
        SitePermutation unmoved;
        for (int i = 0; i < lattice.sites; ++i) unmoved.push_back(i);
        all.push_back({unmoved, sign_of(parity, turns), true});
    }
    return all;
}

/// `signs`: those of an exchange of particles and holes.
std::optional<SymmetryGroup> group_of(std::vector<SymmetryOperation> moves,
                                      const std::vector<SymmetryOperation>& others, const Lattice& lattice,
                                      const std::vector<int>& signs) {
    moves.insert(moves.end(), others.begin(), others.end());
    return SymmetryGroup::generated_by(moves, character_turns(lattice), lattice.sites, signs);
}

/// The signs e_i of the exchange of particles and holes; empty if none is requested.
std::vector<int> checked_signs(const SymmetryRequest& request, const Model& model) {
    if (request.particle_hole == Parity::any) return {};
    const ParticleHole found = particle_hole(model);
    if (!found.broken.empty())
        throw Error(ExitCode::bad_input,
                    "sector.particle-hole is not possible: c_(i,s) -> e_i c+_(i,s), with e_i = 1 and -1 on two "
                    "sublattices, changes " +
                        found.broken + ". Leave the key out.");
    if (model.spin_components == 1 && !squares_to_one(found.signs))
        throw Error(ExitCode::bad_input,
                    "sector.particle-hole is not possible: applied twice, the exchange of particles and holes of this "
                    "lattice, whose sublattices differ in size, is -1. Leave the key out.");
    return found.signs;
}

/// Whether a permutation and the exchange of particles and holes belong to one group. On each spin of two they may also
/// anticommute, since on both together they then commute.
bool go_together(const std::vector<int>& signs, const SitePermutation& image, const Model& model) {
    const std::optional<int> sign = commutation_sign(signs, image);
    return sign && (model.spin_components == 2 || *sign == 1);
}

/// Refuses operations that do not commute with the exchange of particles and holes.
void check_commutation(const std::vector<int>& signs, const std::vector<SymmetryOperation>& moves,
                       const std::vector<SymmetryOperation>& points, const SymmetryRequest& request,
                       const Model& model) {
    if (signs.empty()) return;
    const auto check = [&](const SymmetryOperation& o, const std::string& key, const std::string& words) {
        if (go_together(signs, o.image, model)) return;
        throw Error(ExitCode::bad_input, "sector.particle-hole is not possible with " + key +
                                             ": the exchange of particles and holes does not commute "
                                             "with " +
                                             words + " on " + std::to_string(model.lattice.sites / 2) +
                                             " particles. Leave one of both keys out.");
    };
    for (std::size_t axis = 0; axis < moves.size(); ++axis)
        check(moves[axis], "sector.momentum", "a translation by one cell along direction " + std::to_string(axis + 1));
    const std::vector<PointOperation> named = point_operations_of(request, character_turns(model.lattice));
    for (std::size_t i = 0; i < named.size(); ++i) check(points[i], named[i].key, named[i].words);
}

}  // namespace

std::shared_ptr<const SymmetryGroup> make_symmetry_group(const SymmetryRequest& request, const Model& model) {
    if (!request.any()) return nullptr;
    const Lattice& lattice = model.lattice;
    const Couplings couplings(model);
    std::vector<SymmetryOperation> moves;
    if (request.momenta != Momenta::none) {
        const Momentum zero(lattice.torus.size(), 0);
        moves = checked_translations(request.several() ? zero : request.momentum, couplings, lattice);
    }
    const std::vector<SymmetryOperation> others = other_operations(request, couplings, lattice);
    const std::vector<int> signs = checked_signs(request, model);
    check_commutation(signs, moves, others, request, model);
    std::optional<SymmetryGroup> group = group_of(moves, others, lattice, signs);
    if (!group)
        throw Error(
            ExitCode::bad_input,
            "No state has " + words_of(request) +
                ": different factors belong to the same permutation of the sites. Take a momentum that the point "
                "operations leave unchanged (always: 0), with sector.reflection a rotation by the factor 1 or -1, "
                "and even or 0 for an operation that moves no site.");
    if (model.codes.coded()) group = group->of_bits(model.codes.bits);
    return std::make_shared<const SymmetryGroup>(std::move(*group));
}

namespace {

/// The maps of cells that are symmetries of the model together with some translation, the identity first; with signs of
/// an exchange of particles and holes those that commute with it.
std::vector<CellMap> maps_of(const Couplings& couplings, const Model& model, const std::vector<int>& signs) {
    const Lattice& lattice = model.lattice;
    std::vector<CellMap> all = {{{{1, 0}, {0, 1}}}};
    std::string change;
    for (const bool mirrored : {false, true})
        for (const int degrees : {0, 60, 90, 120, 180, 240, 270, 300}) {
            PlaneMap map = rotation_by(degrees * std::numbers::pi / 180);
            if (mirrored)
                for (Vector2& row : map) row[1] = -row[1];
            const auto images = unchanging(couplings, lattice, map, change);
            if (!images.empty() && (signs.empty() || go_together(signs, images[0], model)))
                all.push_back(*in_cells(lattice, map));
        }
    return all;
}

/// A sentence on the exchange of particles and holes beside other operations; empty if it is no symmetry of H.
std::string possible_exchange(const Model& model, const std::vector<SymmetryOperation>& others) {
    const int sites = model.lattice.sites;
    if (!is_fermionic(model.kind) || model.codes.coded() || sites % 2 != 0) return {};
    if (model.spin_components == 2 && !model.others.empty()) return {};
    const ParticleHole found = particle_hole(model);
    if (!found.broken.empty() || (model.spin_components == 1 && !squares_to_one(found.signs))) return {};
    const bool together =
        std::ranges::all_of(others, [&](const auto& o) { return go_together(found.signs, o.image, model); });
    return std::string(
               "H is left unchanged by the exchange of particles and holes: sector.particle-hole halves vectors") +
           (together ? "" : ", without some of the other keys");
}

}  // namespace

std::string possible_symmetries(const Model& model, bool half_filled) {
    const Lattice& lattice = model.lattice;
    const auto exchange_beside = [&](const std::vector<SymmetryOperation>& others) {
        return half_filled ? possible_exchange(model, others) : "";
    };
    if (lattice.torus.empty()) return exchange_beside({});  // no cells: a ladder, positions, or edges from a file
    const Couplings couplings(model);
    std::vector<SymmetryOperation> operations;
    std::string words, keys;
    const auto add = [&](const std::string& what, const std::string& key) {
        words += (words.empty() ? "" : ", ") + what;
        keys += (keys.empty() ? "" : ", ") + key;
    };
    const auto moves = translations(lattice, Momentum(lattice.torus.size(), 0));
    if (std::ranges::all_of(moves, [&](const auto& o) { return couplings.changed_by(o.image).empty(); })) {
        operations = moves;
        add(std::to_string(lattice.sites / lattice.sublattices) + " translations", "sector.momentum");
    }
    const std::vector<SymmetryOperation> translations_alone = operations;
    SymmetryRequest together;
    const auto try_operation = [&](const auto& set) {
        SymmetryRequest more = together;
        set(more);
        const std::vector<PointOperation> points = point_operations_of(more, character_turns(lattice));
        std::vector<SymmetryOperation> found;
        try {
            found = about_one_centre(points, translations_alone, couplings, lattice);
        } catch (const Error&) {
            return false;
        }
        if (std::ranges::is_sorted(found.back().image)) return false;
        together = more;
        operations = translations_alone;
        operations.insert(operations.end(), found.begin(), found.end());
        add(points.back().words, points.back().key);
        return true;
    };
    if (lattice.torus.size() == 2) {
        for (const int order : {6, 4, 3, 2})
            if (try_operation([&](SymmetryRequest& r) { r.rotation = {0, order}; })) break;
        try_operation([](SymmetryRequest& r) { r.reflection = Parity::even; });
    } else {
        try_operation([](SymmetryRequest& r) { r.parity = Parity::even; });
    }
    const std::string exchange = exchange_beside(operations);
    if (operations.empty()) return exchange;
    const auto group = SymmetryGroup::generated_by(operations, character_turns(lattice), lattice.sites);
    return "H is left unchanged by " + words + ": " + std::to_string(group->order()) + " symmetries; " +
           "in a sector (" + keys + ") vectors are smaller by " +
           (model.spin_components == 2 ? "their number" : "a quarter of their number") +
           (keys.find("sector.momentum") != std::string::npos
                ? "; sector.momentum = auto finds that of the ground state"
                : "") +
           (exchange.empty() ? "" : "; " + exchange);
}

Momentum opposite(const Momentum& m, const Lattice& lattice) {
    const std::int64_t turns = character_turns(lattice);
    const auto operations = translations(lattice, m);
    const auto all = lattice.momenta();
    return *std::ranges::find_if(all, [&](const Momentum& other) {
        const auto others = translations(lattice, other);
        for (std::size_t i = 0; i < operations.size(); ++i)
            if ((operations[i].turn + others[i].turn) % turns != 0) return false;
        return true;
    });
}

std::vector<std::vector<Momentum>> momentum_stars(const SymmetryRequest& request, const Model& model) {
    const Lattice& lattice = model.lattice;
    const std::int64_t turns = character_turns(lattice);
    // a momentum is identified by the factors of the translations along the axes
    const auto factors = [&](const Momentum& m) {
        std::array<std::int64_t, 2> all = {0, 0};
        const auto operations = translations(lattice, m);
        for (std::size_t i = 0; i < operations.size(); ++i) all[i] = operations[i].turn;
        return all;
    };
    // an operation that maps a cell r to M r turns the momentum k into k M
    const auto mapped = [&](const std::array<std::int64_t, 2>& f, const auto& map, int sign) {
        std::array<std::int64_t, 2> result;
        for (std::size_t j = 0; j < 2; ++j)
            result[j] = ((sign * (f[0] * map[0][j] + f[1] * map[1][j])) % turns + turns) % turns;
        return result;
    };
    const Couplings couplings(model);
    const std::vector<int> signs = checked_signs(request, model);
    const auto maps =
        request.point_operations() ? std::vector<CellMap>{{{{1, 0}, {0, 1}}}} : maps_of(couplings, model, signs);
    const bool opposite = model.real() && 2 * request.rotation.number % request.rotation.order == 0;
    const std::vector<SymmetryOperation> others = other_operations(request, couplings, lattice);
    std::vector<std::vector<Momentum>> stars;
    for (const Momentum& m : lattice.momenta()) {
        if (!group_of(checked_translations(m, couplings, lattice), others, lattice, signs)) continue;
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
