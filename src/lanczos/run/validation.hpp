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

/// What of the model devices do not compute, as a sentence without its end; empty if there is nothing.
std::string beyond_devices(const Model& model);

}  // namespace strata::lanczos
