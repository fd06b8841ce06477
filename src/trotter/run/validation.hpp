// SPDX-License-Identifier: BSD-3-Clause
// Checks of a job of spin dynamics beyond those of single values.
#pragma once

#include <string>
#include <vector>

#include "strata/config.hpp"

namespace strata::trotter {

/// Errors of a job, one sentence each.
std::vector<std::string> validate(const Config& config);
/// Errors of a job `now` that resumes from a checkpoint of the job `before`, one sentence each.
std::vector<std::string> validate_resume(const Config& before, const Config& now);

}  // namespace strata::trotter
