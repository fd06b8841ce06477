// SPDX-License-Identifier: BSD-3-Clause
// The characters of operators: if T_g A T_g^-1 = conj(c(g)) A for every element g of a group, then A leads from the sector
// of the character chi to that of c chi.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "lanczos/job/config.hpp"
#include "lanczos/physics/hamiltonian.hpp"
#include "models/operators.hpp"
#include "models/symmetry.hpp"

namespace strata::lanczos {

/// T_g A T_g^-1 of an element of a group that permutes `bits` bits of every site.
OperatorSum transformed(const OperatorSum& sum, const SymmetryGroup& group, std::uint32_t g, int bits);

/// The group with the character c chi, elements in the same order, c(g) = factor_of(g); null if an element has no factor, or one
/// that is no character.
std::shared_ptr<const SymmetryGroup> with_factors(
    const SymmetryGroup& from, const Lattice& lattice,
    const std::function<std::optional<Complex>(std::uint32_t g)>& factor_of);
/// The group with the character that a sum of products leads to; null if it has no character.
std::shared_ptr<const SymmetryGroup> led_to(const SymmetryGroup& from, const OperatorSum& sum, const Model& model);
/// The group of the sector that a job computes in: the requested one with the character to which evolution.operator leads. Null
/// without symmetries, and if the operator has no character. Throws as make_symmetry_group().
std::shared_ptr<const SymmetryGroup> group_of_job(const LanczosConfig& config, const Model& model);

}  // namespace strata::lanczos
