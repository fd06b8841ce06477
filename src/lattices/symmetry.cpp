// SPDX-License-Identifier: BSD-3-Clause
// A group is the closure of its generators under products; the factor of every product follows from those of the
// generators, and two ways to the same permutation must give the same one.
#include "lattices/symmetry.hpp"

#include <cmath>
#include <map>
#include <numbers>

namespace strata {
namespace {

std::int64_t modulo(std::int64_t i, std::int64_t n) { return (i % n + n) % n; }

SitePermutation composed(const SitePermutation& outer, const SitePermutation& inner) {
    SitePermutation result;
    for (int site : inner) result.push_back(outer[static_cast<std::size_t>(site)]);
    return result;
}

/// k . axis i of the wave vector m, in turns.
std::array<std::int64_t, 2> turns_per_cell(const Lattice& lattice, const std::vector<std::int64_t>& m) {
    const auto& torus = lattice.torus;
    const auto a = torus[0], b = torus.size() > 1 ? torus[1] : std::array<std::int64_t, 2>{0, 1};
    const std::int64_t m1 = m[0], m2 = m.size() > 1 ? m[1] : 0;
    const std::int64_t sign = a[0] * b[1] - a[1] * b[0] < 0 ? -2 : 2;  // of the area; turns are twice the cells
    return {sign * (m1 * b[1] - m2 * a[1]), sign * (m2 * a[0] - m1 * b[0])};
}

}  // namespace

std::optional<SymmetryGroup> SymmetryGroup::generated_by(const std::vector<SymmetryOperation>& operations,
                                                         std::int64_t turns, int sites) {
    SymmetryGroup group;
    group.turns_ = turns;
    std::map<SitePermutation, std::uint32_t> index;
    SitePermutation identity;
    for (int i = 0; i < sites; ++i) identity.push_back(i);
    const auto number = [&](const SitePermutation& image, std::int64_t turn) -> std::optional<std::uint32_t> {
        const auto [at, is_new] = index.try_emplace(image, group.order());
        if (is_new) {
            group.image_.push_back(image);
            group.turn_.push_back(modulo(turn, turns));
        }
        if (group.turn_[at->second] != modulo(turn, turns)) return {};
        return at->second;
    };
    number(identity, 0);
    for (std::uint32_t g = 0; g < group.order(); ++g)
        for (const SymmetryOperation& o : operations)
            if (!number(composed(o.image, group.image_[g]), group.turn_[g] + o.turn)) return {};
    for (std::uint32_t g = 0; g < group.order(); ++g)
        for (std::uint32_t h = 0; h < group.order(); ++h)
            group.product_.push_back(index.at(composed(group.image_[g], group.image_[h])));
    for (std::uint32_t g = 0; g < group.order(); ++g)
        for (std::uint32_t h = 0; h < group.order(); ++h)
            if (group.product(g, h) == 0) group.inverse_.push_back(h);
    return group;
}

Complex SymmetryGroup::character(std::uint32_t g) const {
    const std::int64_t turn = turn_[g];
    if (4 * turn % turns_ == 0) {
        constexpr std::array<std::array<double, 2>, 4> quarters = {{{1, 0}, {0, 1}, {-1, 0}, {0, -1}}};
        const auto [re, im] = quarters[static_cast<std::size_t>(4 * turn / turns_)];
        return {re, im};
    }
    return std::polar(1.0, 2 * std::numbers::pi * static_cast<double>(turn) / static_cast<double>(turns_));
}

bool SymmetryGroup::real() const {
    for (std::int64_t turn : turn_)
        if (2 * turn % turns_ != 0) return false;
    return true;
}

std::int64_t character_turns(const Lattice& lattice) { return 2 * (lattice.sites / lattice.sublattices); }

std::vector<SymmetryOperation> translations(const Lattice& lattice, const std::vector<std::int64_t>& m) {
    const auto turns = turns_per_cell(lattice, m);
    std::vector<SymmetryOperation> all;
    for (std::size_t axis = 0; axis < lattice.torus.size(); ++axis) {
        SymmetryOperation& o = all.emplace_back(SymmetryOperation{{}, turns[axis]});
        for (std::size_t site = 0; site < lattice.cell.size(); ++site) {
            const auto [x, y] = lattice.cell[site];
            o.image.push_back(
                lattice.site_at(x + (axis == 0 ? 1 : 0), y + (axis == 1 ? 1 : 0), lattice.sublattice[site]));
        }
    }
    return all;
}

std::vector<SitePermutation> point_operations(const Lattice& lattice, const std::array<std::array<int, 2>, 2>& matrix) {
    std::vector<SitePermutation> found;
    if (lattice.torus.empty()) return found;  // no positions
    const auto transformed = [&](const Vector2& r) {
        return Vector2{matrix[0][0] * r[0] + matrix[0][1] * r[1], matrix[1][0] * r[0] + matrix[1][1] * r[1]};
    };
    constexpr double near = 1e-6;
    for (int to = 0; to < lattice.sites; ++to) {
        const Vector2 origin = transformed(lattice.position[0]),
                      target = lattice.position[static_cast<std::size_t>(to)];
        SitePermutation image;
        std::vector<bool> taken(static_cast<std::size_t>(lattice.sites), false);
        for (const Vector2& from : lattice.position) {
            const Vector2 r = transformed(from);
            const Vector2 at = {r[0] - origin[0] + target[0], r[1] - origin[1] + target[1]};
            for (int s = 0; s < lattice.sublattices; ++s) {
                const Vector2& first = lattice.position[static_cast<std::size_t>(s)];  // of cell (0, 0)
                const double x = at[0] - first[0], y = at[1] - first[1];
                if (std::abs(x - std::round(x)) > near || std::abs(y - std::round(y)) > near) continue;
                const int site = lattice.site_at(std::llround(x), std::llround(y), s);
                if (taken[static_cast<std::size_t>(site)]) continue;
                taken[static_cast<std::size_t>(site)] = true;
                image.push_back(site);
                break;
            }
        }
        if (static_cast<int>(image.size()) == lattice.sites) found.push_back(image);
    }
    return found;
}

}  // namespace strata
