// SPDX-License-Identifier: BSD-3-Clause
#include "lanczos/lattice.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "strata/error.hpp"

namespace strata::lanczos {
namespace {

constexpr int most_sites = 64;

/// A bond of the unit cell: from site `from` of a cell to site `to` of the cell (dx, dy) further.
struct CellBond {
    int from, to, dx, dy;
    Complex amplitude;
    bool neighbours = true;
};

struct UnitCell {
    int sites = 1;
    std::vector<CellBond> bonds;
};

UnitCell checkerboard(const LatticeSpec& spec) {
    const double t = spec.t[0];
    const double t1 = spec.t.size() > 1 ? spec.t[1] : t / (2 + std::sqrt(2.0));
    const double t3 = spec.t.size() > 2 ? spec.t[2] : t / (2 + 2 * std::sqrt(2.0));
    const Complex out = std::polar(t, spec.phase), in = std::conj(out);
    // B of cell (0, 0) lies at (1/2, 1/2) from A; hops from B to A along (+,+), (-,-) have the phase, the others its
    // opposite
    UnitCell cell{2, {{1, 0, 0, 0, out}, {1, 0, 1, 1, out}, {1, 0, 1, 0, in}, {1, 0, 0, 1, in}}};
    for (int site : {0, 1}) {
        cell.bonds.push_back({site, site, 1, 0, site == 0 ? t1 : -t1, false});
        cell.bonds.push_back({site, site, 0, 1, site == 0 ? -t1 : t1, false});
        cell.bonds.push_back({site, site, 1, 1, t3, false});
        cell.bonds.push_back({site, site, 1, -1, t3, false});
    }
    return cell;
}

UnitCell unit_cell(const LatticeSpec& spec) {
    const Complex t = spec.t[0];
    if (spec.type == "ring" || spec.type == "chain") return {1, {{0, 0, 1, 0, t}}};
    if (spec.type == "square" || spec.type == "tilted") return {1, {{0, 0, 1, 0, t}, {0, 0, 0, 1, t}}};
    if (spec.type == "triangular") return {1, {{0, 0, 1, 0, t}, {0, 0, 0, 1, t}, {0, 0, 1, -1, t}}};
    if (spec.type == "honeycomb") return {2, {{0, 1, 0, 0, t}, {1, 0, 1, 0, t}, {1, 0, 0, 1, t}}};
    if (spec.type == "kagome")
        return {
            3, {{0, 1, 0, 0, t}, {1, 0, 1, 0, t}, {0, 2, 0, 0, t}, {2, 0, 0, 1, t}, {1, 2, 0, 0, t}, {2, 1, -1, 1, t}}};
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
        const std::int64_t turns = floor_divide(y, height_);
        x -= turns * skew_;
        x -= floor_divide(x, width_) * width_;
        return static_cast<int>(x + width_ * (y - turns * height_));
    }
    std::int64_t width() const { return width_; }
    std::int64_t height() const { return height_; }

  private:
    static std::int64_t floor_divide(std::int64_t a, std::int64_t b) { return a >= 0 ? a / b : -((b - 1 - a) / b); }
    std::int64_t width_, height_, skew_;
};

void expect_extents(const LatticeSpec& spec, std::size_t count) {
    if (spec.extents.size() != count)
        throw Error(ExitCode::bad_input, "lattice.type = " + spec.type + " takes " + std::to_string(count) +
                                             (count == 1 ? " extent" : " extents") + " in lattice.extents, not " +
                                             std::to_string(spec.extents.size()) + ".");
}

/// Phase of a hop by one cell, such that a way around the torus gathers the flux: spread evenly over the cells.
struct Twist {
    double x = 0, y = 0;
};
Twist twist_per_cell(const LatticeSpec& spec, double a, double b) {
    const double first = spec.flux.empty() ? 0 : spec.flux[0], second = spec.flux.size() > 1 ? spec.flux[1] : 0;
    if (spec.type != "tilted") return {first / a, second / b};
    return {(first * a - second * b) / (a * a + b * b), (first * b + second * a) / (a * a + b * b)};
}

/// Checks, and counts pairs of sites that are joined more than once.
Lattice finished(Lattice lattice) {
    if (lattice.sites > most_sites)
        throw Error(ExitCode::bad_input, "The lattice has " + std::to_string(lattice.sites) + " sites; " +
                                             std::to_string(most_sites) + " are the most that a string of bits holds.");
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

Lattice make_lattice(const LatticeSpec& spec) {
    const bool line = spec.type == "ring" || spec.type == "chain", tilted = spec.type == "tilted";
    expect_extents(spec, line ? 1 : 2);
    for (std::int64_t extent : spec.extents)
        if (extent > 1000 || (extent < 1 && !tilted))
            throw Error(ExitCode::bad_input, "lattice.extents must lie between 1 and 1000.");
    const std::int64_t a = spec.extents[0], b = line ? 1 : spec.extents[1];
    if (tilted && a * a + b * b == 0) throw Error(ExitCode::bad_input, "lattice.extents = 0,0 spans no torus.");
    const Torus torus = tilted ? Torus(a, b, -b, a) : Torus(a, 0, 0, b);
    const UnitCell cell = unit_cell(spec);
    const Twist twist = twist_per_cell(spec, static_cast<double>(a), static_cast<double>(b));
    Lattice lattice;
    const std::int64_t sites = cell.sites * torus.cells();
    lattice.sites = static_cast<int>(std::min<std::int64_t>(sites, most_sites + 1));
    if (sites > most_sites) return finished(lattice);
    for (std::int64_t y = 0; y < torus.height(); ++y)
        for (std::int64_t x = 0; x < torus.width(); ++x)
            for (const CellBond& bond : cell.bonds) {
                if (spec.type == "chain" && x + bond.dx >= torus.width()) continue;
                Complex amplitude = bond.amplitude;
                if (!spec.flux.empty()) amplitude *= std::polar(1.0, twist.x * bond.dx + twist.y * bond.dy);
                const int from = cell.sites * torus.cell(x, y) + bond.from;
                const int to = cell.sites * torus.cell(x + bond.dx, y + bond.dy) + bond.to;
                lattice.edges.push_back({from, to, amplitude, bond.neighbours});
            }
    return finished(lattice);
}

Lattice read_lattice(const std::string& path) {
    std::ifstream file(path);
    if (!file) throw Error(ExitCode::bad_input, "lattice.file = " + path + " cannot be read.");
    Lattice lattice;
    int number = 0;
    for (std::string line; std::getline(file, line);) {
        ++number;
        line = line.substr(0, line.find('#'));
        if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
        std::istringstream words(line);
        Edge edge;
        double re = 0, im = 0;
        int neighbours = 1;
        const bool begun = static_cast<bool>(words >> edge.from >> edge.to >> re);
        const bool more = begun && words >> im && words >> neighbours;
        static_cast<void>(more);
        if (!begun || !words.eof() || edge.from < 0 || edge.to < 0 || edge.from >= most_sites ||
            edge.to >= most_sites || !std::isfinite(re) || !std::isfinite(im) || (neighbours | 1) != 1)
            throw Error(ExitCode::bad_input,
                        path + ":" + std::to_string(number) +
                            ": an edge is 'from to re [im [neighbours: 0 or 1]]' with sites from 0 "
                            "to 63, e.g. '0 1 1.0'.");
        edge.amplitude = {re, im};
        edge.neighbours = neighbours == 1;
        lattice.sites = std::max({lattice.sites, edge.from + 1, edge.to + 1});
        lattice.edges.push_back(edge);
    }
    if (lattice.edges.empty()) throw Error(ExitCode::bad_input, "lattice.file = " + path + " holds no edge.");
    return finished(lattice);
}

}  // namespace strata::lanczos
