// SPDX-License-Identifier: BSD-3-Clause
// Symmetries of H that show in local values: a state that breaks one of them is not the only one of its level.
#pragma once

#include <span>
#include <vector>

#include "dmrg/model.hpp"

namespace strata::dmrg {

/// Permutations of the sites that leave H as it is, among the reflections of a lattice of this width, site = width x + y,
/// and its shift by one around the circumference.
std::vector<std::vector<int>> site_symmetries(const Model& model, int width);

/// By how much the values of the local operators, [operator][site], differ between sites that a permutation exchanges, and
/// by how much S^z differs from 0 where turning all spins over leaves H and the sector as they are; the largest.
double broken_symmetry(const Model& model, int width, std::span<const double> local_values);

}  // namespace strata::dmrg
