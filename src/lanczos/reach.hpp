// SPDX-License-Identifier: BSD-3-Clause
// Which rows of a vector a rank needs beside its own to apply H, and what that costs on the wire against turning whole
// panels there and back.
#pragma once

#include <cstdint>
#include <vector>

#include "lanczos/sector.hpp"

namespace strata::lanczos {

/// Rows of `product` (up strings) that the rows of `rank` are reached from, its own included, one flag each.
std::vector<bool> rows_in_reach(const Sector& sector, std::size_t product, int ranks, int rank);

/// Numbers that all ranks receive in one multiplication, in elements of the vector; a rank counts as a node.
struct WireVolume {
    double rows = 0;    ///< by needed rows
    double turned = 0;  ///< by turning panels there and back, 2 (P - 1) / P vectors; infinite for one species
};
WireVolume wire_volume(const Sector& sector, int ranks);

}  // namespace strata::lanczos
