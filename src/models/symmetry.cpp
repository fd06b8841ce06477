// SPDX-License-Identifier: BSD-3-Clause
// A group is the closure of its generators under products. The factor of every product follows from the factors of the
// generators; different products that give the same permutation must have the same factor.
#include "models/symmetry.hpp"

#include <bit>
#include <cmath>
#include <map>
#include <numbers>
#include <numeric>
#include <set>

namespace strata {
namespace {

std::int64_t modulo(std::int64_t i, std::int64_t n) { return (i % n + n) % n; }

SitePermutation composed(const SitePermutation& outer, const SitePermutation& inner) {
    SitePermutation result;
    for (int site : inner) result.push_back(outer[static_cast<std::size_t>(site)]);
    return result;
}

/// Turns per cell, a multiple of 2, 3, 4 and 6: characters of rotations of all orders, and signs where the number of
/// cells is odd, are then whole numbers of turns.
constexpr std::int64_t turns_of_a_cell = 12;

constexpr double near = 1e-6;  ///< tolerance of positions, in units of the axes

/// The products k . axis i of the wave vector with k . (torus vector i) = 2 pi m[i], in turns.
std::array<std::int64_t, 2> turns_per_cell(const Lattice& lattice, const std::vector<std::int64_t>& m) {
    const auto& torus = lattice.torus;
    const auto a = torus[0], b = torus.size() > 1 ? torus[1] : std::array<std::int64_t, 2>{0, 1};
    const std::int64_t m1 = m[0], m2 = m.size() > 1 ? m[1] : 0;
    const std::int64_t unit = a[0] * b[1] - a[1] * b[0] < 0 ? -turns_of_a_cell : turns_of_a_cell;
    return {unit * (m1 * b[1] - m2 * a[1]), unit * (m2 * a[0] - m1 * b[0])};
}

}  // namespace

std::optional<SymmetryGroup> SymmetryGroup::generated_by(const std::vector<SymmetryOperation>& operations,
                                                         std::int64_t turns, int sites,
                                                         const std::vector<int>& sublattice_signs) {
    SymmetryGroup group;
    group.turns_ = turns;
    group.sublattice_signs_ = sublattice_signs;
    group.negative_sites_ = strata::negative_sites(sublattice_signs);
    group.squares_to_minus_ = !squares_to_one(sublattice_signs);
    std::map<std::pair<SitePermutation, bool>, std::uint32_t> index;
    SitePermutation identity;
    for (int i = 0; i < sites; ++i) identity.push_back(i);
    // index of an element, which is appended if it is new; empty if it has another factor already
    const auto number = [&](const SymmetryOperation& o) -> std::optional<std::uint32_t> {
        const std::int64_t turn = modulo(o.turn, turns);
        const auto [at, is_new] = index.try_emplace({o.image, o.complements}, group.order());
        if (is_new) {
            group.image_.push_back(o.image);
            group.complements_.push_back(o.complements);
            group.turn_.push_back(turn);
            group.anticommutes_.push_back(!sublattice_signs.empty() &&
                                          commutation_sign(sublattice_signs, o.image) == -1);
        }
        if (group.turn_[at->second] != turn) return {};
        return at->second;
    };
    number({identity});
    std::vector<std::vector<std::uint32_t>> after;                          // [element][operation]
    std::vector<std::pair<std::uint32_t, std::size_t>> made_by = {{0, 0}};  // [element] operation after an element
    for (std::uint32_t g = 0; g < group.order(); ++g) {
        after.emplace_back();
        for (std::size_t i = 0; i < operations.size(); ++i) {
            const SymmetryOperation& o = operations[i];
            const auto result = number(
                {composed(o.image, group.image_[g]), group.turn_[g] + o.turn, o.complements != group.complements_[g]});
            if (!result) return {};
            after[g].push_back(*result);
            if (*result == made_by.size()) made_by.emplace_back(g, i);
        }
    }
    // g was made as operation o after an earlier element e, so g h = o (e h)
    for (std::uint32_t g = 0; g < group.order(); ++g)
        for (std::uint32_t h = 0; h < group.order(); ++h)
            group.product_.push_back(g == 0 ? h : after[group.product(made_by[g].first, h)][made_by[g].second]);
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

SymmetryGroup SymmetryGroup::of_bits(int bits) const {
    SymmetryGroup all = *this;
    for (SitePermutation& image : all.image_) {
        SitePermutation of_bits;
        for (const int site : image)
            for (int bit = 0; bit < bits; ++bit) of_bits.push_back(site * bits + bit);
        image = std::move(of_bits);
    }
    return all;
}

bool SymmetryGroup::real() const {
    for (std::int64_t turn : turn_)
        if (2 * turn % turns_ != 0) return false;
    return true;
}

bool SymmetryGroup::has_component_signs() const {
    for (std::uint32_t g = 0; g < order(); ++g)
        for (std::uint32_t h = 0; h < order(); ++h)
            if (component_sign(g, h) < 0) return true;
    return false;
}

std::uint64_t negative_sites(const std::vector<int>& sublattice_signs) {
    std::uint64_t sites = 0;
    for (std::size_t i = 0; i < sublattice_signs.size(); ++i)
        if ((sublattice_signs[i] < 0) != (i % 2 == 1)) sites |= std::uint64_t{1} << i;
    return sites;
}

bool squares_to_one(const std::vector<int>& sublattice_signs) {
    return std::popcount(negative_sites(sublattice_signs)) % 2 == 0;
}

std::optional<int> commutation_sign(const std::vector<int>& sublattice_signs, const SitePermutation& image) {
    bool odd = false;  // permutation
    const auto factor = [&](std::size_t i) {
        return sublattice_signs[i] * sublattice_signs[static_cast<std::size_t>(image[i])];
    };
    for (std::size_t i = 0; i < image.size(); ++i) {
        if (factor(i) != factor(0)) return {};
        for (std::size_t j = 0; j < i; ++j) odd ^= image[j] > image[i];
    }
    const bool changes = factor(0) < 0 && image.size() / 2 % 2 == 1;
    return odd != changes ? -1 : 1;
}

bool are_equal(const SymmetryGroup& a, const SymmetryGroup& b) {
    if (a.order() != b.order() || a.turns() != b.turns() || a.sublattice_signs() != b.sublattice_signs()) return false;
    for (std::uint32_t g = 0; g < a.order(); ++g)
        if (a.image(g) != b.image(g) || a.turn(g) != b.turn(g) || a.complements(g) != b.complements(g)) return false;
    return true;
}

std::int64_t character_turns(const Lattice& lattice) { return turns_of_a_cell * (lattice.sites / lattice.sublattices); }

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

PlaneMap rotation_by(double angle) {
    return {{{std::cos(angle), -std::sin(angle)}, {std::sin(angle), std::cos(angle)}}};
}

std::optional<CellMap> in_cells(const Lattice& lattice, const PlaneMap& map) {
    const auto& [a, b] = lattice.axes;
    const double area = a[0] * b[1] - a[1] * b[0];
    CellMap result;
    for (std::size_t axis = 0; axis < 2; ++axis) {
        const Vector2& from = lattice.axes[axis];
        const Vector2 to = {map[0][0] * from[0] + map[0][1] * from[1], map[1][0] * from[0] + map[1][1] * from[1]};
        const Vector2 cells = {(to[0] * b[1] - to[1] * b[0]) / area, (a[0] * to[1] - a[1] * to[0]) / area};
        for (std::size_t i = 0; i < 2; ++i) {
            if (std::abs(cells[i] - std::round(cells[i])) > near) return {};
            result[i][axis] = static_cast<int>(std::lround(cells[i]));
        }
    }
    return result;
}

std::vector<SitePermutation> point_operations(const Lattice& lattice, const PlaneMap& map) {
    std::vector<SitePermutation> found;
    const auto matrix = in_cells(lattice, map);
    if (lattice.torus.empty() || !matrix) return found;  // without a torus there are no cells to map
    const auto transformed = [&](const auto& r) {
        const auto& [row, other] = *matrix;
        return std::remove_cvref_t<decltype(r)>{row[0] * r[0] + row[1] * r[1], other[0] * r[0] + other[1] * r[1]};
    };
    const std::array<std::int64_t, 2> single = {0, 1};
    for (const auto& period : {lattice.torus[0], lattice.torus.size() > 1 ? lattice.torus[1] : single})
        if (const auto to = transformed(period); lattice.site_at(to[0], to[1], 0) != lattice.site_at(0, 0, 0))
            return found;
    for (int to = 0; to < lattice.sites; ++to) {
        const Vector2 origin = transformed(lattice.position[0]),
                      target = lattice.position[static_cast<std::size_t>(to)];
        SitePermutation image;
        std::vector<bool> taken(static_cast<std::size_t>(lattice.sites), false);
        for (const Vector2& from : lattice.position) {
            const Vector2 r = transformed(from);
            const Vector2 at = {r[0] - origin[0] + target[0], r[1] - origin[1] + target[1]};
            for (int s = 0; s < lattice.sublattices; ++s) {
                const Vector2& first = lattice.position[static_cast<std::size_t>(s)];  // in cell (0, 0)
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

std::size_t pure_translations(const std::vector<AffineOperation>& operations, std::size_t most) {
    if (operations.empty()) return 1;
    SitePermutation unmoved(operations[0].image.size());
    std::iota(unmoved.begin(), unmoved.end(), 0);
    constexpr CellMap unit = {{{1, 0}, {0, 1}}};
    std::set<std::pair<CellMap, SitePermutation>> seen = {{unit, unmoved}};
    std::vector<AffineOperation> group = {{unit, unmoved}};
    std::size_t count = 1;
    for (std::size_t g = 0; g < group.size() && count <= most; ++g)
        for (const AffineOperation& o : operations) {
            AffineOperation result = {{}, composed(o.image, group[g].image)};
            for (std::size_t i = 0; i < 2; ++i)
                for (std::size_t j = 0; j < 2; ++j)
                    result.map[i][j] = o.map[i][0] * group[g].map[0][j] + o.map[i][1] * group[g].map[1][j];
            if (!seen.emplace(result.map, result.image).second) continue;
            if (result.map == unit && ++count > most) break;
            group.push_back(std::move(result));
        }
    return count;
}

}  // namespace strata
