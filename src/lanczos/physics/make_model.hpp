// SPDX-License-Identifier: BSD-3-Clause
// The Hamiltonian that the keys of a job describe.
#pragma once

#include "lanczos/job/config.hpp"
#include "lanczos/physics/hamiltonian.hpp"

namespace strata::lanczos {

/// Builds the lattice with its couplings. Throws Error(bad_input) as make_lattice_model does.
Model make_model(const LanczosConfig& config);
/// The sites of a model with this sum of products as its only terms.
Model model_of(const Model& model, const OperatorSum& sum);
/// The sum without products that lead from no code to another one, which could break symmetries that H has.
OperatorSum between_codes(const OperatorSum& sum, const SiteCodes& codes);

}  // namespace strata::lanczos
