// SPDX-License-Identifier: BSD-3-Clause
// Results, messages and steps of a search for the ground state in terms of the job's keys, which the solver
// (krylov/ground_state.hpp) does not know.
#pragma once

#include <string>
#include <vector>

#include "krylov/ground_state.hpp"
#include "lanczos/run/task.hpp"
#include "strata/record.hpp"

namespace strata::lanczos {

/// Options of the solver for up to `max_states` states.
krylov::GroundStateOptions ground_state_options(const LanczosConfig& config, std::size_t max_states);
/// Lanczos vectors that a search for one state keeps in memory, decided by the size of the sector alone: none of large
/// ones, and none on devices.
std::size_t kept_vectors(const LanczosPlan& plan, BackendKind backend);

/// Steps of the energy, of the state, and of the search for further states.
StepCounts ground_state_steps(const LanczosPlan& plan);
std::vector<Quantity> ground_state_results(const krylov::GroundStateSolver& solver);
/// A sentence on what the finished run has failed to compute; empty if nothing is missing.
std::string ground_state_shortfall(const krylov::GroundStateSolver& solver, const LanczosConfig& config);
/// A sentence on the multiplet for the user; empty if there is nothing to say.
std::string ground_state_remark(const krylov::GroundStateSolver& solver);
/// A sentence on levels that cannot be distinguished with residuals of this size, followed by `advice`.
std::string unresolved_remark(double residual, const char* advice = "");

}  // namespace strata::lanczos
