// SPDX-License-Identifier: BSD-3-Clause
// Most lattices are a unit cell repeated over a torus of cells. The flux enters the amplitudes by the displacement of
// cells, positions enter wave-vector quantities and the distances of pairs.
#include "models/lattice.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <numeric>
#include <set>

#include "models/distances.hpp"
#include "strata/config.hpp"
#include "strata/error.hpp"

namespace strata {
namespace {

constexpr std::int64_t max_cells = 10000;  // largest extent along a direction

/// Whether |value| > most; the most negative integer has no absolute value.
bool beyond(std::int64_t value, std::int64_t most) { return value < -most || value > most; }

/// Numbering of the cells of the torus spanned by two integer vectors, which Hermite's form replaces by (width, 0) and
/// (skew, height).
class Torus {
  public:
    Torus(std::int64_t ax, std::int64_t ay, std::int64_t bx, std::int64_t by) {
        while (ay != 0) {  // Euclid on the second components
            const std::int64_t times = by / ay;
            bx -= times * ax;
            by -= times * ay;
            std::swap(ax, bx);
            std::swap(ay, by);
        }
        width_ = std::abs(ax);
        height_ = std::abs(by);
        skew_ = by < 0 ? -bx : bx;
    }
    std::int64_t cells() const { return width_ * height_; }
    /// Index x + width * y of the cell after its reduction to 0 <= x < width, 0 <= y < height.
    int cell(std::int64_t x, std::int64_t y) const {
        const std::int64_t winding = floor_divide(y, height_);
        x -= winding * skew_;
        x -= floor_divide(x, width_) * width_;
        return static_cast<int>(x + width_ * (y - winding * height_));
    }
    std::int64_t width() const { return width_; }
    std::int64_t height() const { return height_; }

  private:
    static std::int64_t floor_divide(std::int64_t a, std::int64_t b) { return a >= 0 ? a / b : -((b - 1 - a) / b); }
    std::int64_t width_, height_, skew_;
};

void expect_extents(const LatticeSpec& spec, std::size_t count) {
    if (spec.type == "custom" && spec.extents.size() == 4) return;
    if (spec.extents.size() != count)
        throw Error(ExitCode::bad_input, "lattice.type = " + spec.type + " takes " + std::to_string(count) +
                                             (count == 1 ? " extent" : " extents") + " in lattice.extents, not " +
                                             std::to_string(spec.extents.size()) + ".");
}

using Cells = std::array<std::int64_t, 2>;

/// Torus vectors of a spec, in cells: one for a ring or chain, otherwise two.
std::vector<Cells> torus_vectors(const LatticeSpec& spec) {
    const std::size_t directions = lattice_type(spec.type)->directions;
    expect_extents(spec, directions);
    const std::vector<std::int64_t>& e = spec.extents;
    const bool skewed = spec.type == "tilted" || e.size() == 4;
    for (std::int64_t extent : e)
        if (beyond(extent, max_cells) || (extent < 1 && !skewed))
            throw Error(ExitCode::bad_input, "lattice.extents has " + std::to_string(extent) +
                                                 "; it must lie between " + std::to_string(skewed ? -max_cells : 1) +
                                                 " and " + std::to_string(max_cells) + ".");
    if (directions == 1) return {{e[0], 0}};
    if (e.size() == 4) return {{e[0], e[1]}, {e[2], e[3]}};
    if (skewed) return {{e[0], e[1]}, {-e[1], e[0]}};
    return {{e[0], 0}, {0, e[1]}};
}

/// The products k . axis i of the wave vector with k . (torus vector i) = angle[i]; with one of them the second is 0.
Vector2 wave_vector(const std::vector<Cells>& torus, const Vector2& angle) {
    const auto real = [](std::int64_t i) { return static_cast<double>(i); };
    if (torus.size() == 1) return {angle[0] / real(torus[0][0]), 0};
    const auto [a, b] = std::pair(torus[0], torus[1]);
    const double area = real(a[0] * b[1] - a[1] * b[0]);
    return {(angle[0] * real(b[1]) - angle[1] * real(a[1])) / area,
            (angle[1] * real(a[0]) - angle[0] * real(b[0])) / area};
}

/// 2 pi m; a torus of one vector has one m.
Vector2 angles(std::span<const std::int64_t> m) {
    const auto angle = [&](std::size_t i) {
        return i < m.size() ? 2 * std::numbers::pi * static_cast<double>(m[i]) : 0;
    };
    return {angle(0), angle(1)};
}

double dot(const Vector2& a, const Vector2& b) { return a[0] * b[0] + a[1] * b[1]; }

/// The vector with these components along the axes of a cell.
Vector2 cartesian(const std::array<Vector2, 2>& axes, const Vector2& r) {
    return {r[0] * axes[0][0] + r[1] * axes[1][0], r[0] * axes[0][1] + r[1] * axes[1][1]};
}

void check_sites(const LatticeSpec& spec, std::int64_t sites) {
    if (sites > spec.max_sites)
        throw Error(ExitCode::bad_input, "The lattice has " + std::to_string(sites) + " sites; " +
                                             std::to_string(spec.max_sites) + " are the most that are possible here.");
}

/// Refuses edges from a site to itself, and counts pairs of sites that are joined more than once.
Lattice finished(Lattice lattice) {
    std::map<std::pair<int, int>, int> joined;
    for (const Edge& e : lattice.edges) {
        if (e.from == e.to)
            throw Error(ExitCode::bad_input, "The lattice is so small that site " + std::to_string(e.from) +
                                                 " is its own neighbour; make it larger in that direction.");
        if (++joined[std::minmax(e.from, e.to)] == 2) ++lattice.double_edges;
    }
    return lattice;
}

/// Lattice of unit cells on a torus; a chain has no bonds across its ends.
Lattice periodic_lattice(const LatticeSpec& spec) {
    const std::vector<Cells> vectors = torus_vectors(spec);
    const Cells a = vectors[0], b = vectors.size() > 1 ? vectors[1] : Cells{0, 1};
    if (a[0] * b[1] == a[1] * b[0]) throw Error(ExitCode::bad_input, "lattice.extents spans no torus.");
    const Torus torus(a[0], a[1], b[0], b[1]);
    const UnitCell cell = unit_cell(spec);
    const bool open = !lattice_type(spec.type)->periodic;
    const Vector2 flux = {spec.flux.empty() ? 0 : spec.flux[0], spec.flux.size() > 1 ? spec.flux[1] : 0};
    const Vector2 twist = wave_vector(vectors, flux);
    check_sites(spec, cell.sites * torus.cells());
    Lattice lattice;
    lattice.torus = vectors;
    lattice.sublattices = cell.sites;
    lattice.axes = cell.axes;
    lattice.sites = static_cast<int>(cell.sites * torus.cells());
    for (std::int64_t y = 0; y < torus.height(); ++y)
        for (std::int64_t x = 0; x < torus.width(); ++x) {
            for (int i = 0; i < cell.sites; ++i) {
                const Vector2& within = cell.positions[static_cast<std::size_t>(i)];
                lattice.cell.push_back({x, y});
                lattice.sublattice.push_back(i);
                lattice.position.push_back({static_cast<double>(x) + within[0], static_cast<double>(y) + within[1]});
            }
            for (const CellBond& bond : cell.bonds) {
                if (open && x + bond.dx >= torus.width()) continue;
                Complex amplitude = bond.amplitude;
                if (!spec.flux.empty())
                    amplitude *=
                        std::polar(1.0, dot(twist, {static_cast<double>(bond.dx), static_cast<double>(bond.dy)}));
                const int from = cell.sites * torus.cell(x, y) + bond.from;
                const int to = cell.sites * torus.cell(x + bond.dx, y + bond.dy) + bond.to;
                lattice.edges.push_back({from, to, amplitude, bond.weight, bond.shell});
                const Vector2 &start = cell.positions[static_cast<std::size_t>(bond.from)],
                              &end = cell.positions[static_cast<std::size_t>(bond.to)];
                const Vector2 r = cartesian(lattice.axes, {bond.dx + end[0] - start[0], bond.dy + end[1] - start[1]});
                lattice.displacements.push_back({r[0], r[1], 0});
            }
        }
    return lattice;
}

/// Ladder, or a cylinder, which is periodic along its rungs. Next-nearest neighbours are joined along both diagonals of
/// a plaquette. A cylinder of two legs has the bond of a rung twice, around both sides.
Lattice ladder(const LatticeSpec& spec) {
    expect_extents(spec, 2);
    const bool periodic = spec.type == "cylinder";
    const std::int64_t length = spec.extents[0], legs = spec.extents[1], least = periodic ? 2 : 1;
    if (length < 1 || legs < least || std::max(length, legs) > max_cells)
        throw Error(ExitCode::bad_input,
                    "lattice.extents of a " + spec.type + " is its length, from 1 to 10000, and its " +
                        (periodic ? "circumference, from 2" : "number of legs, from 1") + " to 10000, e.g. 16,4.");
    check_sites(spec, length * legs);
    Lattice lattice;
    lattice.sites = static_cast<int>(length * legs);
    const auto join = [&](std::int64_t x, std::int64_t y, std::int64_t dx, std::int64_t dy, Shell shell) {
        if (x + dx >= length || (!periodic && (y + dy < 0 || y + dy >= legs))) return;
        const std::int64_t to = legs * (x + dx) + (y + dy + legs) % legs;
        const bool first = shell == Shell::first;
        lattice.edges.push_back({static_cast<int>(legs * x + y), static_cast<int>(to),
                                 first ? spec.t[0] : spec.second.amplitude, first ? 1 : spec.second.weight, shell});
        lattice.displacements.push_back({static_cast<double>(dx), static_cast<double>(dy), 0});
    };
    for (std::int64_t x = 0; x < length; ++x)
        for (std::int64_t y = 0; y < legs; ++y) {
            lattice.position.push_back({static_cast<double>(x), static_cast<double>(y)});
            join(x, y, 1, 0, Shell::first);
            if (legs > 1) join(x, y, 0, 1, Shell::first);
            if (spec.second.amplitude == 0 && spec.second.weight == 0) continue;
            if (legs == 1) join(x, y, 2, 0, Shell::second);
            if (legs > 1) join(x, y, 1, 1, Shell::second);
            if (legs > 1) join(x, y, 1, -1, Shell::second);
        }
    return lattice;
}

/// Positions of a lattice, periodic along its torus vectors unless it is the open chain, and around a cylinder.
Geometry geometry_of(const Lattice& lattice, const LatticeSpec& spec, const std::string& type) {
    std::vector<Vector3> positions, periods;
    for (int site = 0; site < lattice.sites; ++site) {
        const Vector2 r = lattice.cartesian_position(site);
        positions.push_back({r[0], r[1], 0});
    }
    for (const Cells& cells : lattice.torus) {
        const auto [a, b] = std::pair(static_cast<double>(cells[0]), static_cast<double>(cells[1]));
        periods.push_back(
            {a * lattice.axes[0][0] + b * lattice.axes[1][0], a * lattice.axes[0][1] + b * lattice.axes[1][1], 0});
    }
    if (!lattice_type(type)->periodic) periods.clear();
    if (type == "cylinder") periods.push_back({0, static_cast<double>(spec.extents[1]), 0});
    return {std::move(positions), std::move(periods)};
}

/// Lattice with an edge for every pair of sites, whose factor depends on their distance.
Lattice all_pairs(const LatticeSpec& spec) {
    const bool listed = spec.geometry == "positions";
    Lattice lattice;
    if (!listed) {
        LatticeSpec sites = spec;
        sites.type = spec.geometry;
        sites.second = {};
        lattice = make_lattice(sites);
        lattice.double_edges = 0;
        lattice.edges.clear();
    }
    const Geometry geometry = listed ? listed_geometry(spec.positions) : geometry_of(lattice, spec, spec.geometry);
    check_sites(spec, static_cast<std::int64_t>(geometry.sites()));
    lattice.sites = static_cast<int>(geometry.sites());
    for (int k = 0; k < lattice.sites; ++k)
        for (int j = 0; j < k; ++j) {
            const auto images = geometry.displacements(static_cast<std::size_t>(j), static_cast<std::size_t>(k));
            const double factor = distance_factor(spec.law, images);
            if (listed && spec.law.range != 0 && !std::isfinite(factor))
                throw Error(ExitCode::bad_input, spec.positions.name + ": sites " + std::to_string(j) + " and " +
                                                     std::to_string(k) + " have the same position.");
            lattice.edges.push_back({j, k, factor * spec.t[0], factor});
        }
    return lattice;
}

/// Lattice from lines "from to [re [im [weight]]]", sites counted from 0.
Lattice edge_file(const LatticeSpec& spec) {
    const std::string rule =
        "is not understood; an edge is 'from to [re [im [weight]]]' of two different sites from 0 to " +
        std::to_string(spec.max_sites - 1) + ", e.g. '0 1 1.0'.";
    Lattice lattice;
    for_each_item(lines_of(spec.file), [&](const Item& line) {
        std::array<std::int64_t, 2> ends{};
        for (std::size_t i = 0; i < 2; ++i)
            if (i >= line.words.size() || !parse_integer(line.words[i], ends[i]) || ends[i] < 0 ||
                ends[i] >= spec.max_sites)
                line.refuse(rule);
        if (ends[0] == ends[1]) line.refuse(rule);
        const BondFactors factors = read_factors(line, 2, spec, rule);
        lattice.edges.push_back(
            {static_cast<int>(ends[0]), static_cast<int>(ends[1]), factors.amplitude * spec.t[0], factors.weight});
        lattice.sites = std::max(lattice.sites, static_cast<int>(std::max(ends[0], ends[1])) + 1);
    });
    if (lattice.edges.empty()) throw Error(ExitCode::bad_input, "lattice.file = " + spec.file.name + " holds no edge.");
    return lattice;
}

}  // namespace

double Lattice::phase(std::span<const std::int64_t> m, int site) const {
    return dot(wave_vector(torus, angles(m)), position[static_cast<std::size_t>(site)]);
}

Vector2 Lattice::cartesian_position(int site) const {
    return cartesian(axes, position[static_cast<std::size_t>(site)]);
}

Vector2 Lattice::cartesian_wave_vector(std::span<const std::int64_t> m) const {
    const Vector2 k = wave_vector(torus, angles(m));  // k . axis i
    if (torus.size() == 1) return k;
    const auto& [a, b] = axes;
    const double area = a[0] * b[1] - a[1] * b[0];
    return {(k[0] * b[1] - k[1] * a[1]) / area, (k[1] * a[0] - k[0] * b[0]) / area};
}

int Lattice::site_at(std::int64_t x, std::int64_t y, int of_sublattice) const {
    const Cells a = torus[0], b = torus.size() > 1 ? torus[1] : Cells{0, 1};
    return sublattices * Torus(a[0], a[1], b[0], b[1]).cell(x, y) + of_sublattice;
}

bool Lattice::positions_unknown() const {
    if (sublattices == 1 || position.empty()) return false;
    return std::all_of(position.begin(), position.begin() + sublattices,
                       [](const Vector2& r) { return dot(r, r) == 0; });
}

std::vector<std::vector<std::int64_t>> Lattice::momenta() const {
    std::vector<std::vector<std::int64_t>> all;
    if (torus.size() == 1) {
        for (std::int64_t m = 0; m < torus[0][0]; ++m) all.push_back({m});
        return all;
    }
    const auto [a, b] = std::pair(torus[0], torus[1]);
    const std::int64_t area = a[0] * b[1] - a[1] * b[0], cells = std::abs(area);
    const auto modulo = [&](std::int64_t i) { return ((i % cells) + cells) % cells; };
    std::set<std::pair<std::int64_t, std::int64_t>> seen;  // k times the area, in units of 2 pi
    for (std::int64_t m2 = 0; m2 < cells; ++m2)
        for (std::int64_t m1 = 0; m1 < cells; ++m1)
            if (seen.emplace(modulo(m1 * b[1] - m2 * a[1]), modulo(m2 * a[0] - m1 * b[0])).second)
                all.push_back({m1, m2});
    return all;
}

std::int64_t Lattice::momentum_period(std::size_t i) const {
    if (torus.size() == 1) return torus[0][0];
    const auto& [a, b] = std::pair(torus[0], torus[1]);
    const std::int64_t cells = std::abs(a[0] * b[1] - a[1] * b[0]);
    const auto& other = i == 0 ? b : a;
    return cells / std::gcd(cells, std::gcd(other[0], other[1]));
}

Lattice make_lattice(const LatticeSpec& spec) {
    if (spec.type == "none") {
        Lattice lattice;
        lattice.sites = spec.sites;
        return lattice;
    }
    const LatticeType* type = lattice_type(spec.type);
    if (type == nullptr) throw Error(ExitCode::bad_input, "lattice.type = " + spec.type + " is no lattice.");
    switch (type->construction) {
        case Construction::edges: return finished(edge_file(spec));
        case Construction::pairs: return finished(all_pairs(spec));
        case Construction::legs: return finished(ladder(spec));
        case Construction::cells: break;
    }
    return finished(periodic_lattice(spec));
}

std::optional<Geometry> geometry_of(const LatticeSpec& spec, const Lattice& lattice) {
    const std::string& type = spec.type == "all" ? spec.geometry : spec.type;
    if (type == "positions") return listed_geometry(spec.positions);
    if (lattice.position.empty() || lattice.positions_unknown()) return {};
    return geometry_of(lattice, spec, type);
}

}  // namespace strata
