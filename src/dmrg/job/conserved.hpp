// SPDX-License-Identifier: BSD-3-Clause
// Quantities that a Hamiltonian conserves in addition to its total charges. A search from bond to bond changes its
// state by H alone, so that it compares states with different values of such a quantity only if its start contains
// them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "dmrg/job/model.hpp"

namespace strata::dmrg {

/// Groups of sites between which no coupling moves charge, each ascending: H conserves the charge of every group.
std::vector<std::vector<int>> charge_groups(const Model& model);

/// A sentence about charge groups if the charge of the sector can be distributed over them in several ways; empty
/// otherwise.
std::string separate_charges(const Model& model);

/// Pairs of sites whose exchange leaves H unchanged, up to the sign of one of them for electrons. Where several pairs
/// have no site in common, H conserves the parity of each, as on ladders with equal couplings along legs and diagonals.
std::vector<std::pair<int, int>> exchangeable_sites(const Model& model);

}  // namespace strata::dmrg
