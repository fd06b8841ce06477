// SPDX-License-Identifier: BSD-3-Clause
// Dipolar couplings are the secular (truncated) form in a strong magnetic field along a direction n: for a pair at
// distance r, d = J (1 - 3 cos^2(r, n)) / r^3 times 2 Sz Sz - Sx Sx - Sy Sy (Abragam, Principles of Nuclear Magnetism).
// On a torus a pair has several nearest images where it lies half way around, with different angles to n: the mean over
// all of them keeps every symmetry of the torus.
#include "trotter/bonds.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "strata/error.hpp"
#include "trotter/text.hpp"

namespace strata::trotter {
namespace {

using Vector3 = std::array<double, 3>;

double dot(const Vector3& a, const Vector3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

std::array<double, 3> times(double factor, const std::array<double, 3>& coupling) {
    return {factor * coupling[0], factor * coupling[1], factor * coupling[2]};
}

/// Throws for more spins than a state has.
void check_spins(std::int64_t spins) {
    if (spins > max_spins)
        throw Error(ExitCode::bad_input, "The lattice has " + std::to_string(spins) + " spins; " +
                                             std::to_string(max_spins) + " are the most that a state can have.");
}

/// Bonds of neighbours. The further hops of the checkerboard, which conserve the kind of site, are no bonds of spins; a
/// bond of a custom cell has the amplitude as factor of J^x and J^y, the weight as factor of J^z.
Bonds lattice_bonds(const TrotterConfig& config) {
    LatticeSpec spec = config.lattice;
    spec.t = {1, 0, 0};
    const Lattice lattice = make_lattice(spec);
    check_spins(lattice.sites);
    const bool custom = spec.type == "custom";
    Bonds result{lattice.sites, {}, 0};
    for (const Edge& edge : lattice.edges) {
        if (custom && edge.amplitude.imag() != 0)
            throw Error(ExitCode::bad_input, "lattice.cell-bonds has a complex amplitude, which is no coupling.");
        const double xy = custom ? edge.amplitude.real() : edge.weight;
        const auto& c = config.coupling;
        result.bonds.push_back({edge.from, edge.to, {xy * c[0], xy * c[1], edge.weight * c[2]}});
    }
    return result;
}

/// From lines "j k jx jy jz", or "j k [factor]" that scale the couplings of the model.
Bonds file_bonds(const TrotterConfig& config) {
    const std::string rule = "is no edge 'j k jx jy jz' or 'j k [factor]', e.g. '0 1 1 1 0.5'.";
    Bonds result;
    for (const Item& line : lines_of(config.edges)) {
        if (line.words.size() != 2 && line.words.size() != 3 && line.words.size() != 5) line.refuse(rule);
        const Bond ends{line.spin(0, max_spins), line.spin(1, max_spins), {}};
        const std::vector<double> numbers = line.reals_from(2, rule);
        if (ends.j == ends.k) line.refuse("couples a spin with itself.");
        if (numbers.size() < 3 && !config.couples)
            line.refuse("has no couplings of its own; give model.jx, model.jy or model.jz, or 'j k jx jy jz'.");
        const auto coupling = numbers.size() == 3 ? Vector3{numbers[0], numbers[1], numbers[2]}
                                                  : times(numbers.empty() ? 1 : numbers[0], config.coupling);
        result.bonds.push_back({ends.j, ends.k, coupling});
        result.spins = std::max({result.spins, ends.j + 1, ends.k + 1});
    }
    if (result.bonds.empty())
        throw Error(ExitCode::bad_input, "lattice.file = " + config.edges.name + " holds no edge.");
    return result;
}

/// Relative difference of lengths that are equal but for rounding.
constexpr double same_length = 1e-9;

Vector3 sum(const Vector3& a, double factor, const Vector3& b) {
    return {a[0] + factor * b[0], a[1] + factor * b[1], a[2] + factor * b[2]};
}

double length(const Vector3& r) { return std::sqrt(dot(r, r)); }

/// Positions of spins, and the vectors along which they repeat themselves: none, one, or two that reduce() made as short
/// as vectors of this torus are.
struct Geometry {
    std::vector<Vector3> positions;
    std::vector<Vector3> periods;

    void reduce();
    /// From spin j to all nearest images of spin k.
    std::vector<Vector3> displacements(std::size_t j, std::size_t k) const;

  private:
    std::vector<Vector3> around(const Vector3& r) const;
};

/// Gauss' reduction of two vectors.
void Geometry::reduce() {
    for (bool shorter = periods.size() == 2; shorter;) {
        if (length(periods[1]) < length(periods[0])) std::swap(periods[0], periods[1]);
        const Vector3 &a = periods[0], &b = periods[1];
        const Vector3 next = sum(b, -std::round(dot(a, b) / dot(a, a)), a);
        shorter = length(next) < length(b) * (1 - same_length);
        if (shorter) periods[1] = next;
    }
}

/// The image r and those that are up to one period away along each vector.
std::vector<Vector3> Geometry::around(const Vector3& r) const {
    std::vector<Vector3> images = {r};
    for (const Vector3& period : periods)
        for (std::size_t i = 0, count = images.size(); i < count; ++i)
            for (const double turn : {-1.0, 1.0}) images.push_back(sum(images[i], turn, period));
    return images;
}

/// With reduced periods an image that is not longer than those around it is a nearest one, and all others are around it.
std::vector<Vector3> Geometry::displacements(std::size_t j, std::size_t k) const {
    std::vector<Vector3> images;
    double shortest = 0;
    for (Vector3 nearest = sum(positions[k], -1, positions[j]);;) {
        images = around(nearest);
        const Vector3 next = *std::ranges::min_element(images, {}, length);
        shortest = length(next);
        if (!(shortest < length(nearest) * (1 - same_length))) break;
        nearest = next;
    }
    std::erase_if(images, [&](const Vector3& r) { return length(r) > shortest * (1 + same_length); });
    return images;
}

/// Positions from a file.
Geometry listed_geometry(const NamedText& file) {
    const std::string rule = "is no position 'x y z'.";
    Geometry geometry;
    for (const Item& line : lines_of(file)) {
        if (line.words.size() != 3) line.refuse(rule);
        geometry.positions.push_back({line.real(0, rule), line.real(1, rule), line.real(2, rule)});
    }
    if (geometry.positions.empty())
        throw Error(ExitCode::bad_input, "lattice.positions = " + file.name + " holds no position.");
    return geometry;
}

/// Positions of a lattice, periodic along its torus vectors unless it is the open chain.
Geometry lattice_geometry(LatticeSpec spec, const std::string& type) {
    spec.type = type;
    const Lattice lattice = make_lattice(spec);
    Geometry geometry;
    for (int site = 0; site < lattice.sites; ++site) {
        const Vector2 r = lattice.cartesian_position(site);
        geometry.positions.push_back({r[0], r[1], 0});
    }
    if (type == "chain") return geometry;
    for (const auto& cells : lattice.torus) {
        const auto [a, b] = std::pair(static_cast<double>(cells[0]), static_cast<double>(cells[1]));
        geometry.periods.push_back(
            {a * lattice.axes[0][0] + b * lattice.axes[1][0], a * lattice.axes[0][1] + b * lattice.axes[1][1], 0});
    }
    geometry.reduce();
    return geometry;
}

/// Factor of the couplings of a pair at displacement r.
double distance_factor(const TrotterConfig& config, const Vector3& r) {
    const double squared = dot(r, r), power = std::pow(squared, -config.range / 2);
    if (config.model != ModelType::dipolar) return power;
    const double along = dot(r, config.direction);
    return power * (1 - 3 * along * along / (squared * dot(config.direction, config.direction)));
}

/// The mean over the nearest images of a pair.
double mean_factor(const TrotterConfig& config, const std::vector<Vector3>& images) {
    if (config.model != ModelType::dipolar) return distance_factor(config, images.front());
    double factor = 0;
    for (const Vector3& r : images) factor += distance_factor(config, r);
    return factor / static_cast<double>(images.size());
}

/// Every pair, by its distance.
Bonds pair_bonds(const TrotterConfig& config) {
    const bool listed = config.geometry == "positions";
    const Geometry geometry =
        listed ? listed_geometry(config.positions) : lattice_geometry(config.lattice, config.geometry);
    check_spins(static_cast<std::int64_t>(geometry.positions.size()));
    Bonds result{static_cast<int>(geometry.positions.size()), {}, 0};
    for (int k = 0; k < result.spins; ++k)
        for (int j = 0; j < k; ++j) {
            const auto images = geometry.displacements(static_cast<std::size_t>(j), static_cast<std::size_t>(k));
            if (config.range != 0 && length(images.front()) == 0)
                throw Error(ExitCode::bad_input, config.positions.name + ": spins " + std::to_string(j) + " and " +
                                                     std::to_string(k) + " have the same position.");
            result.bonds.push_back({j, k, times(mean_factor(config, images), config.coupling)});
        }
    return result;
}

/// Pairs with several bonds, each once.
int count_double_pairs(const std::vector<Bond>& bonds) {
    std::map<std::pair<int, int>, int> joined;
    int pairs = 0;
    for (const Bond& bond : bonds) pairs += ++joined[std::minmax(bond.j, bond.k)] == 2;
    return pairs;
}

}  // namespace

Bonds make_bonds(const TrotterConfig& config) {
    const std::string& type = config.lattice.type;
    if (type.empty()) return {};
    Bonds bonds = type == "all" ? pair_bonds(config) : type == "file" ? file_bonds(config) : lattice_bonds(config);
    bonds.double_pairs = count_double_pairs(bonds.bonds);
    return bonds;
}

}  // namespace strata::trotter
