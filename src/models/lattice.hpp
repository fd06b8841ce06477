// SPDX-License-Identifier: BSD-3-Clause
// Lattices with periodic or open ends, as lists of edges and positions of sites. Site = sites per cell * cell +
// sublattice; cells are numbered along x first. Ladders and cylinders are numbered rung by rung, which keeps the bonds
// of a long one short:
//
//     1 - 3 - 5 - 7
//     |   |   |   |      site = legs * x + y
//     0 - 2 - 4 - 6
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "models/distances.hpp"
#include "models/lattice_spec.hpp"
#include "models/unit_cell.hpp"

namespace strata {

/// A bond between two sites. Its amplitude is that of the hop from `from` to `to`, t included (the reverse hop is
/// implied), or the factor of the exchange J^x and J^y; its weight is the factor of V or of J^z.
struct Edge {
    int from = 0, to = 0;
    Complex amplitude;
    double weight = 1;
    Shell shell = Shell::first;
};

struct Lattice {
    int sites = 0;
    std::vector<Edge> edges;
    /// [edge]: Cartesian vector from `from` to `to` on the way of the bond, which may be around the torus; empty without
    /// positions, and where edges join pairs by their distance.
    std::vector<Vector3> displacements;
    int double_edges = 0;  ///< number of pairs of sites joined more than once: their amplitudes add up
    /// One or two torus vectors, in cells; empty for ladders, cylinders, listed positions and edges from a file.
    std::vector<std::array<std::int64_t, 2>> torus;
    std::vector<std::array<std::int64_t, 2>> cell;     ///< [site]: (x, y); empty without a torus
    int sublattices = 1;                               ///< number of sites in a cell
    std::vector<int> sublattice;                       ///< [site]; empty without a torus
    std::vector<Vector2> position;                     ///< [site], in units of the two axes of the cell; empty
                                                       ///< for edges from a file and positions in space
    std::array<Vector2, 2> axes = {{{1, 0}, {0, 1}}};  ///< Cartesian lattice vectors; the lattice constant is 1

    /// k . r of a site, at its position in the cell, for the wave vector with k . (torus vector i) = 2 pi m[i].
    double phase(std::span<const std::int64_t> m, int site) const;
    /// One m for every wave vector of the cluster: as many as cells.
    std::vector<std::vector<std::int64_t>> momenta() const;
    /// Period of m[i]: numbers that differ by it belong to the same wave vector of the cluster.
    std::int64_t momentum_period(std::size_t i) const;
    Vector2 cartesian_position(int site) const;                            ///< in lattice constants
    Vector2 cartesian_wave_vector(std::span<const std::int64_t> m) const;  ///< in 1 / lattice constant
    /// The site of a sublattice in the cell (x, y), which may be any image of a cell of the cluster.
    int site_at(std::int64_t x, std::int64_t y, int sublattice) const;
    /// Whether a cell has several sites, all at its corner: their positions were not given.
    bool positions_unknown() const;
};

/// Builds the lattice of a spec; for its edges H = - sum amplitude c+_to c_from + h.c. Throws Error(bad_input) for
/// extents that the type does not have, more sites than spec.max_sites, edges from a site to itself, and texts and
/// files that cannot be read.
Lattice make_lattice(const LatticeSpec& spec);
/// The positions of a lattice of this spec in space, and its periods. Empty where sites have no positions.
std::optional<Geometry> geometry_of(const LatticeSpec& spec, const Lattice& lattice);

}  // namespace strata
