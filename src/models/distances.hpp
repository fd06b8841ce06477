// SPDX-License-Identifier: BSD-3-Clause
// Factors of interactions that depend on the distance of a pair, between sites in space or on a torus.
#pragma once

#include <vector>

#include "models/lattice_spec.hpp"

namespace strata {

/// Positions of sites and their periods: none, one, or two, which the constructor makes the shortest of their torus.
class Geometry {
  public:
    Geometry(std::vector<Vector3> positions, std::vector<Vector3> periods);

    std::size_t sites() const { return positions_.size(); }
    /// Vectors from site j to all nearest images of site k, which have the same length.
    std::vector<Vector3> displacements(std::size_t j, std::size_t k) const;

  private:
    std::vector<Vector3> around(const Vector3& r) const;

    std::vector<Vector3> positions_, periods_;
};

/// Reads positions from lines "x y z". Throws Error(bad_input) that names the file and the line.
Geometry listed_geometry(const NamedText& file);

/// Factor of a pair with these displacements; for dipoles the mean over them. Not finite for sites at the same position
/// whose interaction depends on the distance.
double distance_factor(const DistanceLaw& law, const std::vector<Vector3>& images);

}  // namespace strata
