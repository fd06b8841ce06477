// SPDX-License-Identifier: BSD-3-Clause
// The Hamiltonian that the keys of a job describe.
#pragma once

#include "lanczos/job/config.hpp"
#include "lanczos/physics/hamiltonian.hpp"

namespace strata::lanczos {

/// Builds the lattice with its couplings. Throws Error(bad_input) as make_lattice_model does.
Model make_model(const LanczosConfig& config);

}  // namespace strata::lanczos
