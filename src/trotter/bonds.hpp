// SPDX-License-Identifier: BSD-3-Clause
// Which pairs of spins are coupled, and how strongly: by the bonds of a lattice, by the distance of all pairs, or by a
// file of edges.
#pragma once

#include <array>
#include <vector>

#include "trotter/config.hpp"

namespace strata::trotter {

struct Bond {
    int j, k;
    std::array<double, 3> coupling;  ///< J^x, J^y, J^z
};

struct Bonds {
    int spins = 0;
    std::vector<Bond> bonds;
    int double_pairs = 0;  ///< pairs that are joined more than once
};

/// The bonds of lattice.type, no bond and no spin for an empty one. Throws Error(bad_input) that names the key.
Bonds make_bonds(const TrotterConfig& config);

}  // namespace strata::trotter
