// SPDX-License-Identifier: BSD-3-Clause
// Plane waves over the sites of a cluster, at the sites' true positions. Quantities of a wave vector are computed from
// them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lanczos/job/config.hpp"
#include "models/positions.hpp"
#include "strata/record.hpp"

namespace strata::lanczos {

/// An operator A_k = sum_j weight[j] A_j.
struct PlaneWave {
    std::vector<std::int64_t> m;  ///< k . (torus vector i) = 2 pi m[i]; empty for an operator without wave vector
    int sublattice = -1;          ///< sublattice of the sites; -1: all sites
    std::vector<Complex> weight;  ///< [site] e^(-i k r) / sqrt(N), N sites of the wave; 0 on other sublattices
};

/// End of names of what belongs to one sublattice, "-sublattice-1"; empty for -1, all sites.
inline std::string suffix_of(int sublattice) {
    return sublattice < 0 ? "" : "-sublattice-" + std::to_string(sublattice);
}

/// For every wave vector of `momenta`, in this order, one wave over all sites (summed) or one for each sublattice in
/// ascending order (separate). Requires a lattice with a torus.
std::vector<PlaneWave> plane_waves(const Lattice& lattice, const std::vector<std::vector<std::int64_t>>& momenta,
                                   Sublattices sublattices);

/// Column of the intensities at a wave vector: momentum-1-0, of one sublattice momentum-1-0-sublattice-1; `intensity`
/// without wave vector.
Column intensity_column(const PlaneWave& wave);

/// A column of intensities as that of another list: `ending` after momentum, intensity or conductivity in its names.
Column with_ending(Column column, const std::string& ending);

}  // namespace strata::lanczos
