// SPDX-License-Identifier: BSD-3-Clause
// Clusters of lattice sites with periodic or open ends, as lists of edges, and where the sites lie.
// Site = sites per cell * cell + sublattice.
#pragma once

#include <array>
#include <complex>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace strata {

using Complex = std::complex<double>;
using Vector2 = std::array<double, 2>;

/// A hop from site `from` to site `to` with the given amplitude, its inverse understood; the interaction of neighbours
/// acts with model.v times `weight`.
struct Edge {
    int from = 0, to = 0;
    Complex amplitude;
    double weight = 1;
};

struct Lattice {
    int sites = 0;
    std::vector<Edge> edges;
    int double_edges = 0;  ///< pairs of sites joined more than once: amplitudes add up
    /// Of one or two dimensions, in cells; empty for a lattice that was read from a file.
    std::vector<std::array<std::int64_t, 2>> torus;
    std::vector<std::array<std::int64_t, 2>> cell;     ///< [site]
    int sublattices = 1;                               ///< sites of a cell
    std::vector<int> sublattice;                       ///< [site]
    std::vector<Vector2> position;                     ///< [site], in units of the two axes of the cell
    std::array<Vector2, 2> axes = {{{1, 0}, {0, 1}}};  ///< Cartesian lattice vectors; the lattice constant is 1

    /// k . r of a site, at its position in the cell, for the wave vector with k . (torus vector i) = 2 pi m[i].
    double phase(std::span<const std::int64_t> m, int site) const;
    /// One m for every wave vector of the cluster: as many as cells.
    std::vector<std::vector<std::int64_t>> momenta() const;
    /// Numbers m[i] that differ by it belong to the same wave vector of the cluster.
    std::int64_t momentum_period(std::size_t i) const;
    Vector2 cartesian_position(int site) const;                            ///< in lattice constants
    Vector2 cartesian_wave_vector(std::span<const std::int64_t> m) const;  ///< in 1 / lattice constant
    /// The site of a sublattice in the cell (x, y), which may be any image of a cell of the cluster.
    int site_at(std::int64_t x, std::int64_t y, int sublattice) const;
    /// Whether all sites of a cell lie at its corner although they are several: positions were not given.
    bool positions_unknown() const;
};

/// Weight of a bond or edge that gives none: 1, or its amplitude, which must be real then.
enum class DefaultWeight { one, amplitude };

/// What a lattice is made from.
struct LatticeSpec {
    std::string type;  ///< ring, chain, square, tilted, triangular, honeycomb, kagome, checkerboard, custom
    std::vector<std::int64_t> extents;  ///< cells along each torus vector; tilted: (a, b) of (a, b), (-b, a); custom:
                                        ///< also ax, ay, bx, by of (ax, ay), (bx, by)
    std::string cell_bonds;             ///< custom: "from to dx dy re [im [weight]]; ..."
    std::string cell_positions;   ///< custom: "x y; x y; ...", in units of the cell's axes; empty: all at its corner
    std::vector<double> t = {1};  ///< hopping: nearest neighbours, and for the checkerboard t', t''
    double phase = 0;             ///< of the checkerboard's nearest neighbours, radians
    std::vector<double> flux;     ///< twist of the boundary along each torus vector, radians
    DefaultWeight default_weight = DefaultWeight::one;  ///< of custom bonds
};

/// H = - sum amplitude c+_to c_from + h.c. Throws Error(bad_input) for extents that the type does not have, more than
/// 64 sites, and edges from a site to itself. Checkerboard: Sun, Gu, Katsura, Das Sarma, PRL 106, 236803 (2011).
Lattice make_lattice(const LatticeSpec& spec);

/// From lines "from to re [im [weight]]", sites counted from 0; # begins a comment. Throws Error(bad_input) that begins
/// with `name`, where the text comes from, and the line.
Lattice parse_lattice(const std::string& name, const std::string& text, DefaultWeight rule);

}  // namespace strata
