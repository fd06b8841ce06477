// SPDX-License-Identifier: BSD-3-Clause
// The target and the operators that the keys of a job describe.
#pragma once

#include <memory>

#include "kronecker/job/config.hpp"
#include "superblock/target.hpp"

namespace strata::kronecker {

/// The patches and terms of a job. Throws Error(bad_input) if no patch has states.
Target make_target(const KroneckerConfig& config);
/// The operators of a job; `target` must outlive them. Throws Error(bad_input) for a file that does not fit the target.
std::unique_ptr<OperatorSource> make_operators(const KroneckerConfig& config, const Target& target);

}  // namespace strata::kronecker
