// SPDX-License-Identifier: BSD-3-Clause
// Results and messages on the ground state in terms of the job's keys, which the solver (krylov/ground_state.hpp) does
// not know.
#pragma once

#include <string>
#include <vector>

#include "krylov/ground_state.hpp"
#include "lanczos/job/config.hpp"
#include "strata/record.hpp"

namespace strata::lanczos {

/// Options of the solver for up to `max_states` states.
krylov::GroundStateOptions ground_state_options(const LanczosConfig& config, std::size_t max_states);

std::vector<Quantity> ground_state_results(const krylov::GroundStateSolver& solver);
/// A sentence on what the finished run has failed to compute; empty if nothing is missing.
std::string ground_state_shortfall(const krylov::GroundStateSolver& solver, const LanczosConfig& config);
/// A sentence on the multiplet for the user; empty if there is nothing to say.
std::string ground_state_remark(const krylov::GroundStateSolver& solver);
/// A sentence on levels that cannot be distinguished with residuals of this size, followed by `advice`.
std::string unresolved_remark(double residual, const char* advice = "");

}  // namespace strata::lanczos
