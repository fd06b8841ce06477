// SPDX-License-Identifier: BSD-3-Clause
// The superblock of a bond without its elements, from the predicted sectors of two enlarged blocks: what a multiplication
// stores and computes is then counted by the plan of the multiplication itself.
#pragma once

#include "dmrg/job/model.hpp"
#include "dmrg/physics/sectors.hpp"
#include "superblock/target.hpp"

namespace strata::dmrg {

/// Products of operators between the blocks that end with the sites `centre` and `centre` + 1, without the terms of these
/// two sites, which are copies.
std::size_t products_across(const Model& model, int centre);

/// Patches and terms of the superblock; the copies of the coupling of the two centre sites are left out.
superblock::Target superblock_shape(const Model& model, int centre, const Sectors& left, const Sectors& right);

/// Elements of the operators between the blocks as dense matrices, before they are packed.
double dense_elements(const superblock::Target& target);

}  // namespace strata::dmrg
