// SPDX-License-Identifier: BSD-3-Clause
// Checks of a Lanczos job beyond those of single values.
#pragma once

#include <string>
#include <vector>

#include "lanczos/physics/make_model.hpp"
#include "strata/config.hpp"

namespace strata::lanczos {

/// Adds an error if the sector of the symmetries holds no state. Throws as make_symmetry_group() does.
void check_states(const LanczosConfig& c, const Model& model, std::vector<std::string>& found);
/// One sentence for each error.
std::vector<std::string> validate(const Config& config);

/// Whether the final state of a run with other keys is one of a job (ApplicationEntry::validate_measurement): the ground
/// state that an evolution begins with may be that of another H, and its first state depends on the observables.
std::vector<std::string> validate_measurement(const Config& stored, const Config& now);

/// What of the model devices do not compute, as a sentence without its end; empty if there is nothing.
std::string beyond_devices(const LanczosConfig& config, const Model& model);

}  // namespace strata::lanczos
