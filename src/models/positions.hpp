// SPDX-License-Identifier: BSD-3-Clause
// Positions of sites, and wave vectors, as coordinates of lists over them.
#pragma once

#include <cstdint>
#include <vector>

#include "models/lattice.hpp"
#include "strata/record.hpp"

namespace strata {

/// site-x, site-y, wave-vector-x and wave-vector-y (Cartesian; one dimension has no y): positions of the sites, and
/// wave vectors in the order of `momenta`. Empty for a lattice without a torus.
std::vector<Quantity> position_results(const Lattice& lattice, const std::vector<std::vector<std::int64_t>>& momenta);

}  // namespace strata
