// SPDX-License-Identifier: BSD-3-Clause
// The values of the section [lattice], and of the model's keys that give its bonds their amplitudes.
#pragma once

#include <array>
#include <complex>
#include <cstdint>
#include <string>
#include <vector>

#include "models/text.hpp"

namespace strata {

using Complex = std::complex<double>;
using Vector2 = std::array<double, 2>;
using Vector3 = std::array<double, 3>;

/// Weight of a bond or edge for which none is given: 1, or its amplitude, which must then be real.
enum class DefaultWeight { one, amplitude };

/// Whether the application supports amplitudes with an imaginary part.
enum class Amplitudes { complex, real };

/// Interactions of all pairs by their distance r: 1 / r^range, for dipoles (1 - 3 cos^2) / r^3 with the angle to the
/// magnetic field.
struct DistanceLaw {
    double range = 0;
    bool dipolar = false;
    Vector3 direction = {0, 0, 1};  ///< direction of the magnetic field, of any length
};

/// Values that define a lattice.
struct LatticeSpec {
    std::string type;                   ///< a word of lattice_types(), or none: sites without bonds
    int sites = 0;                      ///< type none: number of sites
    std::vector<std::int64_t> extents;  ///< cells along each torus vector; tilted: (a, b) of (a, b), (-b, a); custom:
                                        ///< also ax, ay, bx, by of (ax, ay), (bx, by)
    std::string cell_bonds;             ///< custom: "from to dx dy re [im [weight]]; ..."
    std::string cell_positions;      ///< custom: "x y; x y; ...", in units of the cell's axes; empty: all at its corner
    NamedText file;                  ///< type file: its edges
    std::string geometry = "chain";  ///< type all: the type of the lattice that has its positions, or "positions"
    NamedText positions;             ///< geometry = positions: one position per line
    DistanceLaw law;                 ///< type all: interaction by distance

    std::vector<double> t = {1};  ///< hopping: nearest neighbours, and for the checkerboard t', t''
    double phase = 0;             ///< phase of the checkerboard's nearest neighbours, radians
    std::vector<double> flux;     ///< twist of the boundary along each torus vector, radians
    /// Amplitude and weight of the bonds between next-nearest neighbours; without them there are no such bonds.
    struct SecondNeighbours {
        double amplitude = 0, weight = 0;
    } second;
    DefaultWeight default_weight = DefaultWeight::one;  ///< weight of custom bonds and edges of a file without one
    Amplitudes amplitudes = Amplitudes::complex;
    int max_sites = 64;
};

}  // namespace strata
