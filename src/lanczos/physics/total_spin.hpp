// SPDX-License-Identifier: BSD-3-Clause
// The total spin S of levels where H commutes with the total spin. Each level of spin S is in the sectors of all S^z from -S
// to S, so that of the n_m levels of an energy in the sector S^z = m as many as n_m - n_(m+1) have the spin m.
#pragma once

#include <map>
#include <span>
#include <vector>

#include "lanczos/physics/hamiltonian.hpp"

namespace strata::lanczos {

/// Whether H commutes with the total S+; of spins and electrons alone.
bool conserves_total_spin(const Model& model, int twice_spin);

/// Spins of the levels of sectors that differ in S^z alone, by 2 S^z >= 0 of the sectors: lists in the order of theirs, which
/// ascend. NaN where the numbers of levels of an energy are none of a sum of multiplets. `rounding`: levels that are no
/// farther apart have one energy.
std::map<int, std::vector<double>> total_spins(const std::map<int, std::span<const double>>& levels, double rounding);

}  // namespace strata::lanczos
