// SPDX-License-Identifier: BSD-3-Clause
// Changes of a matrix product state that need no Hamiltonian: its complex form, and orthonormal bases.
#pragma once

#include "comm/communicator.hpp"
#include "dmrg/state/chain_state.hpp"
#include "strata/timer.hpp"

namespace strata::dmrg {

/// Brings the real state (Re psi, Im psi) of a complex H, whose centre is at bond 0, into the complex form of chain_state.hpp.
/// Collective.
void make_complex(const Communicator& comm, const Algebra& algebra, Timers& timers, ChainState& chain);

/// Gives a state with any tensors and its centre at bond 0 orthonormal bases behind site 0, and the norm 1. Collective.
void normalise(const Communicator& comm, const Algebra& algebra, Timers& timers, ChainState& chain);

}  // namespace strata::dmrg
