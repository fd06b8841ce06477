// SPDX-License-Identifier: BSD-3-Clause
// Symmetries of H that local values can break; a state that breaks one of them belongs to a degenerate level.
#pragma once

#include <span>
#include <vector>

#include "dmrg/job/model.hpp"

namespace strata::dmrg {

/// Permutations of the sites under which H is invariant, among the two reflections of a lattice of this width, site =
/// width x + y, and its shift by one around the circumference.
std::vector<std::vector<int>> site_symmetries(const Model& model, int width);

/// Largest violation of a symmetry: the difference of the local values, [operator][site], of sites that a permutation
/// maps to each other, or |S^z| of a site if the spin flip leaves H and the sector invariant.
double broken_symmetry(const Model& model, int width, std::span<const double> local_values);

}  // namespace strata::dmrg
