// SPDX-License-Identifier: BSD-3-Clause
// Every lattice but a file's is a unit cell (sites with positions, bonds to sites of other cells) repeated over a torus
// of cells. The flux enters the amplitudes by the displacement of cells, positions enter wave-vector quantities only.
#include "lattices/lattice.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <numeric>
#include <set>
#include <sstream>

#include "strata/config.hpp"
#include "strata/error.hpp"

namespace strata {
namespace {

constexpr int max_sites = 64;
constexpr std::int64_t max_cells = 1000;  // along a direction

/// Whether |value| > most; the most negative integer has no absolute value.
bool beyond(std::int64_t value, std::int64_t most) { return value < -most || value > most; }

/// A bond of the unit cell: from site `from` of a cell to site `to` of the cell (dx, dy) further.
struct CellBond {
    int from, to, dx, dy;
    Complex amplitude;
    double weight = 1;  ///< of the interaction
};

struct UnitCell {
    int sites = 1;
    std::vector<CellBond> bonds;
    std::vector<Vector2> positions = {{0, 0}};         ///< [site], in units of the axes
    std::array<Vector2, 2> axes = {{{1, 0}, {0, 1}}};  ///< Cartesian, in lattice constants
};

const std::array<Vector2, 2> triangular_axes = {{{1, 0}, {0.5, std::sqrt(3.0) / 2}}};

UnitCell checkerboard(const LatticeSpec& spec) {
    const double t = spec.t[0];
    const double t1 = spec.t.size() > 1 ? spec.t[1] : t / (2 + std::sqrt(2.0));
    const double t3 = spec.t.size() > 2 ? spec.t[2] : t / (2 + 2 * std::sqrt(2.0));
    const Complex out = t * std::polar(1.0, spec.phase), in = std::conj(out);
    // B of cell (0, 0) lies at (1/2, 1/2) from A; hops from B to A along (+,+), (-,-) have the phase, the others its
    // opposite
    UnitCell cell{2, {{1, 0, 0, 0, out}, {1, 0, 1, 1, out}, {1, 0, 1, 0, in}, {1, 0, 0, 1, in}}, {{0, 0}, {0.5, 0.5}}};
    for (int site : {0, 1}) {  // a hop that is switched off has no end that could be its own site
        if (t1 != 0) {
            cell.bonds.push_back({site, site, 1, 0, site == 0 ? t1 : -t1, 0});
            cell.bonds.push_back({site, site, 0, 1, site == 0 ? -t1 : t1, 0});
        }
        if (t3 != 0) {
            cell.bonds.push_back({site, site, 1, 1, t3, 0});
            cell.bonds.push_back({site, site, 1, -1, t3, 0});
        }
    }
    return cell;
}

/// Positions of the sites of a custom cell, from text such as "0 0; 0.5 0.5"; all at the corner if there is none.
std::vector<Vector2> custom_positions(const LatticeSpec& spec, int sites) {
    const auto count = static_cast<std::size_t>(sites);
    if (spec.cell_positions.empty()) return std::vector<Vector2>(count, Vector2{0, 0});
    std::vector<Vector2> positions;
    std::istringstream all(spec.cell_positions);
    for (std::string text; std::getline(all, text, ';');) {
        if (text.find_first_not_of(" \t") == std::string::npos) continue;
        std::istringstream words(text);
        Vector2 at{};
        std::string rest;
        if (!(words >> at[0] >> at[1]) || words >> rest || std::max(std::abs(at[0]), std::abs(at[1])) > 1000)
            throw Error(ExitCode::bad_input, "lattice.cell-positions: '" + text +
                                                 "' is no position 'x y' in units of the cell's axes, e.g. '0.5 0'.");
        positions.push_back(at);
    }
    if (positions.size() != count)
        throw Error(ExitCode::bad_input, "lattice.cell-positions gives " + std::to_string(positions.size()) +
                                             " positions for the " + std::to_string(count) +
                                             " sites of the cell in lattice.cell-bonds; give one for each.");
    return positions;
}

/// Reads "re [im [weight]]" up to the end of `words`; false if something else stands there. A complex amplitude whose
/// weight is missing leaves NaN as the weight where the amplitude is the default.
bool read_amplitude(std::istream& words, DefaultWeight rule, Complex& amplitude, double& weight) {
    std::vector<double> numbers;
    for (std::string word; words >> word;) {
        double number = 0;
        if (numbers.size() == 3 || !parse_real(word, number)) return false;
        numbers.push_back(number);
    }
    if (numbers.empty()) return false;
    amplitude = {numbers[0], numbers.size() > 1 ? numbers[1] : 0};
    if (numbers.size() == 3)
        weight = numbers[2];
    else if (rule == DefaultWeight::one)
        weight = 1;
    else
        weight = amplitude.imag() == 0 ? amplitude.real() : std::nan("");
    return true;
}

constexpr const char* complex_exchange =
    " has an amplitude with an imaginary part, which cannot be its weight too; give the weight, '... re im weight'.";

/// From text such as "0 0 1 0 1; 0 0 0 1 0.5".
UnitCell custom_cell(const LatticeSpec& spec) {
    UnitCell cell;
    std::istringstream bonds(spec.cell_bonds);
    for (std::string text; std::getline(bonds, text, ';');) {
        if (text.find_first_not_of(" \t") == std::string::npos) continue;
        std::istringstream words(text);
        CellBond bond{};
        if (!(words >> bond.from >> bond.to >> bond.dx >> bond.dy) ||
            !read_amplitude(words, spec.default_weight, bond.amplitude, bond.weight) ||
            std::min(bond.from, bond.to) < 0 || std::max(bond.from, bond.to) >= max_sites ||
            beyond(bond.dx, max_cells) || beyond(bond.dy, max_cells))
            throw Error(ExitCode::bad_input, "lattice.cell-bonds: '" + text +
                                                 "' is no bond 'from to dx dy re [im [weight]]' between "
                                                 "sites from 0 to 63, e.g. '0 0 1 0 1.0'.");
        if (std::isnan(bond.weight))
            throw Error(ExitCode::bad_input, "lattice.cell-bonds: '" + text + "'" + complex_exchange);
        bond.amplitude *= spec.t[0];
        cell.sites = std::max({cell.sites, bond.from + 1, bond.to + 1});
        cell.bonds.push_back(bond);
    }
    if (cell.bonds.empty()) throw Error(ExitCode::bad_input, "lattice.cell-bonds holds no bond.");
    cell.positions = custom_positions(spec, cell.sites);
    return cell;
}

UnitCell unit_cell(const LatticeSpec& spec) {
    const Complex t = spec.t[0];
    if (spec.type == "custom") return custom_cell(spec);
    if (spec.type == "ring" || spec.type == "chain") return {1, {{0, 0, 1, 0, t}}};
    if (spec.type == "square" || spec.type == "tilted") return {1, {{0, 0, 1, 0, t}, {0, 0, 0, 1, t}}};
    const double third = 1.0 / 3;
    if (spec.type == "triangular")
        return {1, {{0, 0, 1, 0, t}, {0, 0, 0, 1, t}, {0, 0, 1, -1, t}}, {{0, 0}}, triangular_axes};
    if (spec.type == "honeycomb")
        return {2, {{0, 1, 0, 0, t}, {1, 0, 1, 0, t}, {1, 0, 0, 1, t}}, {{0, 0}, {third, third}}, triangular_axes};
    if (spec.type == "kagome")
        return {3,
                {{0, 1, 0, 0, t}, {1, 0, 1, 0, t}, {0, 2, 0, 0, t}, {2, 0, 0, 1, t}, {1, 2, 0, 0, t}, {2, 1, -1, 1, t}},
                {{0, 0}, {0.5, 0}, {0, 0.5}},
                triangular_axes};
    return checkerboard(spec);
}

/// Cells of the torus spanned by two integer vectors, (width, 0) and (skew, height) in Hermite's form.
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

/// The torus of a spec: the vectors along which the lattice repeats itself.
std::vector<Cells> torus_vectors(const LatticeSpec& spec) {
    const bool line = spec.type == "ring" || spec.type == "chain";
    expect_extents(spec, line ? 1 : 2);
    const std::vector<std::int64_t>& e = spec.extents;
    const bool skewed = spec.type == "tilted" || e.size() == 4;
    for (std::int64_t extent : e)
        if (beyond(extent, max_cells) || (extent < 1 && !skewed))
            throw Error(ExitCode::bad_input, "lattice.extents has " + std::to_string(extent) +
                                                 "; it must lie between " + std::to_string(skewed ? -max_cells : 1) +
                                                 " and " + std::to_string(max_cells) + ".");
    if (line) return {{e[0], 0}};
    if (e.size() == 4) return {{e[0], e[1]}, {e[2], e[3]}};
    if (skewed) return {{e[0], e[1]}, {-e[1], e[0]}};
    return {{e[0], 0}, {0, e[1]}};
}

/// k in units of the reciprocal axes with k . (torus vector i) = angle[i]; a torus of one vector leaves the second 0.
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

/// Checks, and counts pairs of sites that are joined more than once.
Lattice finished(Lattice lattice) {
    if (lattice.sites > max_sites)
        throw Error(ExitCode::bad_input, "The lattice has " + std::to_string(lattice.sites) + " sites; " +
                                             std::to_string(max_sites) + " are the most that a string of bits holds.");
    std::map<std::pair<int, int>, int> joined;
    for (const Edge& e : lattice.edges) {
        if (e.from == e.to)
            throw Error(ExitCode::bad_input, "The lattice is so small that site " + std::to_string(e.from) +
                                                 " is its own neighbour; make it larger in that direction.");
        if (++joined[std::minmax(e.from, e.to)] == 2) ++lattice.double_edges;
    }
    return lattice;
}

}  // namespace

double Lattice::phase(std::span<const std::int64_t> m, int site) const {
    return dot(wave_vector(torus, angles(m)), position[static_cast<std::size_t>(site)]);
}

Vector2 Lattice::cartesian_position(int site) const {
    const Vector2& r = position[static_cast<std::size_t>(site)];
    return {r[0] * axes[0][0] + r[1] * axes[1][0], r[0] * axes[0][1] + r[1] * axes[1][1]};
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
    const std::vector<Cells> vectors = torus_vectors(spec);
    const Cells a = vectors[0], b = vectors.size() > 1 ? vectors[1] : Cells{0, 1};
    if (a[0] * b[1] == a[1] * b[0]) throw Error(ExitCode::bad_input, "lattice.extents spans no torus.");
    const Torus torus(a[0], a[1], b[0], b[1]);
    const UnitCell cell = unit_cell(spec);
    const Vector2 flux = {spec.flux.empty() ? 0 : spec.flux[0], spec.flux.size() > 1 ? spec.flux[1] : 0};
    const Vector2 twist = wave_vector(vectors, flux);
    Lattice lattice;
    lattice.torus = vectors;
    lattice.sublattices = cell.sites;
    lattice.axes = cell.axes;
    const std::int64_t sites = cell.sites * torus.cells();
    lattice.sites = static_cast<int>(sites);
    if (sites > max_sites) return finished(lattice);
    for (std::int64_t y = 0; y < torus.height(); ++y)
        for (std::int64_t x = 0; x < torus.width(); ++x) {
            for (int i = 0; i < cell.sites; ++i) {
                const Vector2& within = cell.positions[static_cast<std::size_t>(i)];
                lattice.cell.push_back({x, y});
                lattice.sublattice.push_back(i);
                lattice.position.push_back({static_cast<double>(x) + within[0], static_cast<double>(y) + within[1]});
            }
            for (const CellBond& bond : cell.bonds) {
                if (spec.type == "chain" && x + bond.dx >= torus.width()) continue;
                Complex amplitude = bond.amplitude;
                if (!spec.flux.empty())
                    amplitude *=
                        std::polar(1.0, dot(twist, {static_cast<double>(bond.dx), static_cast<double>(bond.dy)}));
                const int from = cell.sites * torus.cell(x, y) + bond.from;
                const int to = cell.sites * torus.cell(x + bond.dx, y + bond.dy) + bond.to;
                lattice.edges.push_back({from, to, amplitude, bond.weight});
            }
        }
    return finished(lattice);
}

Lattice parse_lattice(const std::string& name, const std::string& text, DefaultWeight rule) {
    std::istringstream lines(text);
    Lattice lattice;
    int number = 0;
    for (std::string line; std::getline(lines, line);) {
        ++number;
        line = line.substr(0, line.find('#'));
        if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
        const std::string where = name + ":" + std::to_string(number) + ": ";
        std::istringstream words(line);
        Edge edge;
        if (!(words >> edge.from >> edge.to) || !read_amplitude(words, rule, edge.amplitude, edge.weight) ||
            std::min(edge.from, edge.to) < 0 || std::max(edge.from, edge.to) >= max_sites)
            throw Error(ExitCode::bad_input, where +
                                                 "an edge is 'from to re [im [weight]]' with sites from 0 "
                                                 "to 63, e.g. '0 1 1.0'.");
        if (std::isnan(edge.weight)) throw Error(ExitCode::bad_input, where + "the edge" + complex_exchange);
        lattice.sites = std::max({lattice.sites, edge.from + 1, edge.to + 1});
        lattice.edges.push_back(edge);
    }
    if (lattice.edges.empty()) throw Error(ExitCode::bad_input, "lattice.file = " + name + " holds no edge.");
    return finished(lattice);
}

}  // namespace strata
