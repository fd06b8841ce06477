// SPDX-License-Identifier: BSD-3-Clause
// The symmetry group that a job requests, and the check that the model has it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "lanczos/job/symmetry_request.hpp"
#include "lanczos/physics/hamiltonian.hpp"
#include "models/symmetry.hpp"

namespace strata::lanczos {

/// The group with its character, of coded sites as permutations of their bits; null without symmetries. If several momenta are requested, the momentum is 0. Throws
/// Error(bad_input) if the model does not have a symmetry, or if no state can have all of the characters.
std::shared_ptr<const SymmetryGroup> make_symmetry_group(const SymmetryRequest& request, const Model& model);

/// A line for the user: the translations, rotations and reflections that leave the model unchanged, and the keys of
/// their sectors; with the exchange of particles and holes for a half filled sector. Empty if there are none.
std::string possible_symmetries(const Model& model, bool half_filled);

using Momentum = std::vector<std::int64_t>;  ///< [direction], as SymmetryRequest::momentum
/// The momentum -m, as it is listed for the lattice.
Momentum opposite(const Momentum& m, const Lattice& lattice);
/// Momenta that have the same energies, by a point operation of the model or because all amplitudes are real: one list
/// for each star, whose first momentum represents all. If the request has point operations, only momenta that they
/// leave unchanged are listed.
std::vector<std::vector<Momentum>> momentum_stars(const SymmetryRequest& request, const Model& model);

}  // namespace strata::lanczos
