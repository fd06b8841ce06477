// SPDX-License-Identifier: BSD-3-Clause
// What a Hamiltonian conserves beside its total charges. A search from bond to bond changes its state by H alone, so that
// it compares states with different values of such a quantity only as far as its start contains them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "dmrg/model.hpp"

namespace strata::dmrg {

/// Groups of sites that no coupling which moves charge connects, each ascending: H conserves the charge of every group.
std::vector<std::vector<int>> charge_groups(const Model& model);

/// A sentence about charge groups if the sector leaves open how its charge is distributed over them; empty otherwise.
std::string separate_charges(const Model& model);

/// Pairs of sites whose exchange leaves H unchanged, up to the sign of one of them for electrons. Where several pairs
/// have no site in common, H conserves the parity of each, as on ladders with equal couplings along legs and diagonals.
std::vector<std::pair<int, int>> exchangeable_sites(const Model& model);

}  // namespace strata::dmrg
