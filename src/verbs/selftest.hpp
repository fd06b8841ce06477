// SPDX-License-Identifier: BSD-3-Clause
// The verb `strata selftest`: the exact oracles of all applications on this machine.
#pragma once

#include "comm/communicator.hpp"
#include "run/preflight.hpp"

namespace strata {

/// Runs every oracle and compares within its tolerance, or within four standard errors. Returns 0, or 5 if any
/// deviates. Collective.
int selftest(const Communicator& comm, const Invocation& invocation);

}  // namespace strata
