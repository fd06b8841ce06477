// SPDX-License-Identifier: BSD-3-Clause
// Checks of a Lanczos job beyond those of single values.
#pragma once

#include <string>
#include <vector>

#include "strata/config.hpp"

namespace strata::lanczos {

/// One sentence for each error.
std::vector<std::string> validate(const Config& config);

}  // namespace strata::lanczos
