// SPDX-License-Identifier: BSD-3-Clause
// `strata selftest`: the applications' exact oracles on this machine.
#pragma once

#include "comm/communicator.hpp"
#include "preflight.hpp"

namespace strata {

/// Runs every oracle and compares within four standard deviations. Returns 0, or 5 if any deviates. Collective.
int selftest(const Communicator& comm, const Invocation& invocation);

}  // namespace strata
