// SPDX-License-Identifier: BSD-3-Clause
// A sum of products of operators acts on a matrix product state.
#pragma once

#include "comm/communicator.hpp"
#include "dmrg/state/chain_state.hpp"
#include "models/observables.hpp"
#include "strata/timer.hpp"

namespace strata::dmrg {

/// Makes `to` the normalised state A |from>. Their models differ by the charge of the target alone, which A changes by as much.
/// Centres are at bond 0; the result is complex, as is `from` of a complex H. Returns the norm of A |from>. Throws
/// CollectiveError(bad_input) where it is 0, with the key that gives A. Collective.
double apply_operator(const Communicator& comm, const OwnObservable& a, const Algebra& algebra, Timers& timers,
                      const ChainState& from, ChainState& to, const char* key = "evolution.operator");

}  // namespace strata::dmrg
