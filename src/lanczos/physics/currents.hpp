// SPDX-License-Identifier: BSD-3-Clause
// The current of particles along a direction d, J = i [H, P] with P = sum_j (d . r_j) n_j, and the kinetic energy along it
// (E. Dagotto, Rev. Mod. Phys. 66, 763 (1994), section II.F). A term O of H that moves particles by delta along d,
// [P, O] = delta O, is a term -i delta O of J, and delta^2 O of the kinetic energy T_d: with a vector potential A along d,
// H(A) = sum_O O exp(i A delta), J = -dH/dA and T_d = -d^2H/dA^2.
#pragma once

#include <string>

#include "lanczos/job/config.hpp"
#include "lanczos/physics/hamiltonian.hpp"

namespace strata::lanczos {

enum class HopMoment { current = 1, kinetic = 2 };

/// J or T_d of the job's model as a model, whose other values are 0. A bond of the lattice moves a particle along
/// itself, another hop to the nearest image of its target; where several images are equally near, by the mean over them.
/// Throws Error(bad_input) for sites without positions, and for terms that move particles between more than two sites.
Model hop_moment(const LanczosConfig& config, const Model& model, HopMoment moment);
/// A sentence on why the job's H has no spectrum of a current; empty if it has. Throws as hop_moment() and
/// make_symmetry_group() do.
std::string without_current(const LanczosConfig& config, const Model& model);
/// Whether no current can flow for ever along the direction, whose ends are open.
bool has_open_ends(const LanczosConfig& config);

}  // namespace strata::lanczos
