// SPDX-License-Identifier: BSD-3-Clause
// What a job says of its ground state, in the words of its keys: the solver (krylov/ground_state.hpp) knows neither.
#pragma once

#include <string>
#include <vector>

#include "krylov/ground_state.hpp"
#include "lanczos/config.hpp"
#include "strata/record.hpp"

namespace strata::lanczos {

/// Options of the solver for up to `max_states` states.
krylov::GroundStateOptions ground_state_options(const LanczosConfig& config, std::size_t max_states);

std::vector<Quantity> ground_state_results(const krylov::GroundStateSolver& solver);
/// What is missing although all steps are made, as a sentence; empty if nothing is.
std::string ground_state_shortfall(const krylov::GroundStateSolver& solver, const LanczosConfig& config);
/// What the user should know of the multiplet, as a sentence; empty if there is nothing.
std::string ground_state_remark(const krylov::GroundStateSolver& solver);
/// The sentence on levels whose states have residuals of this size and cannot be told apart, and what helps.
std::string unresolved_remark(double residual, const char* advice = "");

}  // namespace strata::lanczos
