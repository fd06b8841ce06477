// SPDX-License-Identifier: BSD-3-Clause
// Which rows of a vector a rank needs beside its own to apply H, from the tables; their number is counted without
// tables in ghost_rows.hpp.
#pragma once

#include <cstdint>
#include <vector>

#include "lanczos/sector.hpp"

namespace strata::lanczos {

/// Rows of `subspace` (up bit strings) that the rows of `rank` are reached from, its own included, one flag each.
std::vector<bool> needed_rows(const Sector& sector, std::size_t subspace, int ranks, int rank);

}  // namespace strata::lanczos
