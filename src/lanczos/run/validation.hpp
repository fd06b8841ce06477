// SPDX-License-Identifier: BSD-3-Clause
// Checks of a Lanczos job beyond those of single values.
#pragma once

#include <string>
#include <vector>

#include "lanczos/physics/make_model.hpp"
#include "strata/config.hpp"

namespace strata::lanczos {

/// One sentence for each error.
std::vector<std::string> validate(const Config& config);

/// What the job asks for that devices do not compute, as a sentence without its end; empty if there is nothing.
std::string beyond_devices(const LanczosConfig& c, const Model& model);

}  // namespace strata::lanczos
