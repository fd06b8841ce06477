// SPDX-License-Identifier: BSD-3-Clause
// The target that the keys of a job describe.
#pragma once

#include "kronecker/job/config.hpp"
#include "superblock/target.hpp"

namespace strata::kronecker {

/// The patches and terms of a job. Throws Error(bad_input) if no patch has states.
superblock::Target make_target(const KroneckerConfig& config);
}  // namespace strata::kronecker
