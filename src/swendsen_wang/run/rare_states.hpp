// SPDX-License-Identifier: BSD-3-Clause
// Configurations that a run may not have met although much of the fluctuations is theirs: ordered lattices with domain walls
// across them, and the phase against a weak field. Whether a series holds enough of them cannot be known from it; their
// weights are.
#pragma once

#include <vector>

#include "strata/record.hpp"
#include "swendsen_wang/job/config.hpp"

namespace strata::swendsen_wang {

inline double square(double x) { return x * x; }

/// A configuration that a run meets with this probability in each observation, and what it would be in the series.
struct RareState {
    double weight = 0;
    std::vector<double> row;
};

/// Whether the rare states of such a lattice are known; otherwise there are none.
bool may_miss_rare_states(const SwendsenWangConfig& config);

/// The rare states of an ordered lattice whose couplings are equal but for a flip of one sublattice. `means`: [column] means
/// of the series of one temperature; `first_overlap`: column of the overlaps, or their number if there are none. None above T_c, and where walls are
/// forced or too frequent to be rare.
std::vector<RareState> rare_states(const SwendsenWangConfig& config, const std::vector<double>& means,
                                   std::size_t first_overlap);

}  // namespace strata::swendsen_wang
