// SPDX-License-Identifier: BSD-3-Clause
// Characters are computed from the operators themselves, so that no convention of phases enters twice; they are roots of
// unity like those of the group.
#include "lanczos/physics/characters.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "lanczos/physics/observables.hpp"
#include "lanczos/physics/symmetries.hpp"

namespace strata::lanczos {
namespace {

constexpr double near_unity = 1e-9;  ///< tolerance of coefficients and their phases

/// The factor c with T_g A T_g^-1 = conj(c) A; empty if there is none.
std::optional<Complex> character_of(const OperatorSum& sum, const SymmetryGroup& group, std::uint32_t g, int bits) {
    if (sum.empty()) return 1;
    OperatorSum moved = transformed(sum, group, g, bits);
    moved.remove_rounding();  // constants of an exchange of particles and holes that cancel
    const auto& [product, coefficient] = *moved.terms().begin();
    const Complex before = sum[product];
    if (before == Complex(0)) return {};
    OperatorSum same = sum;
    same *= coefficient / before;
    if (std::abs(std::abs(coefficient / before) - 1) > near_unity || !are_equal(moved, same)) return {};
    return std::conj(coefficient / before);
}

/// Number of turns of a root of unity, `turns` to a full circle; empty if it is not a whole number.
std::optional<std::int64_t> turn_of(Complex root, std::int64_t turns) {
    const double turn = std::arg(root) / (2 * std::numbers::pi) * static_cast<double>(turns);
    if (std::abs(turn - std::round(turn)) > near_unity * static_cast<double>(turns)) return {};
    return std::llround(turn);
}

}  // namespace

OperatorSum transformed(const OperatorSum& sum, const SymmetryGroup& group, std::uint32_t g, int bits) {
    std::vector<int> sites;
    for (int bit = 0; bit < group.sites(); bit += bits)
        sites.push_back(group.image(g)[static_cast<std::size_t>(bit)] / bits);
    const OperatorSum moved = sum.permuted(sites);
    if (!group.complements(g)) return moved;
    const std::vector<int>& signs = group.sublattice_signs();
    return signs.empty() ? moved.inverted() : moved.exchanged(signs);
}

std::shared_ptr<const SymmetryGroup> with_factors(
    const SymmetryGroup& from, const Lattice& lattice,
    const std::function<std::optional<Complex>(std::uint32_t g)>& factor_of) {
    const std::int64_t turns = character_turns(lattice);
    std::vector<SymmetryOperation> operations;
    for (std::uint32_t g = 0; g < from.order(); ++g) {
        const std::optional<Complex> c = factor_of(g);
        const std::optional<std::int64_t> turn = c ? turn_of(*c, turns) : std::nullopt;
        if (!turn) return nullptr;
        operations.push_back({from.image(g), *turn + from.turn(g), from.complements(g)});
    }
    auto group = SymmetryGroup::generated_by(operations, turns, from.sites(), from.sublattice_signs());
    return group ? std::make_shared<const SymmetryGroup>(std::move(*group)) : nullptr;
}

std::shared_ptr<const SymmetryGroup> led_to(const SymmetryGroup& from, const OperatorSum& sum, const Model& model) {
    return with_factors(from, model.lattice,
                        [&](std::uint32_t g) { return character_of(sum, from, g, model.codes.bits); });
}

std::shared_ptr<const SymmetryGroup> group_of_job(const LanczosConfig& config, const Model& model) {
    auto group = make_symmetry_group(config.symmetry, model);
    if (group == nullptr || config.task != Task::evolution || config.evolution.op.empty()) return group;
    const std::vector<OwnObservable> all = operators_of(config);
    const auto op = std::ranges::find(all, config.evolution.op, &OwnObservable::name);
    return op == all.end() || op->members.empty() ? group : led_to(*group, op->members[0], model);
}

}  // namespace strata::lanczos
