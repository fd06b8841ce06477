// SPDX-License-Identifier: BSD-3-Clause
// Independent pieces of work, each of which makes one matrix, done by one rank each. All ranks end with all matrices,
// bit by bit as the rank that made them has them.
#pragma once

#include <vector>

#include "comm/communicator.hpp"
#include "dmrg/matrix.hpp"

namespace strata::dmrg {

/// The rank that does each piece: the costliest piece first, each goes to the rank with the least work.
std::vector<int> shared_out(const std::vector<double>& costs, int ranks);

/// Sends each matrix from the rank that made it to the others, where it has its shape already; one message per rank.
/// Collective.
void share(const Communicator& comm, const std::vector<int>& made_by, const std::vector<Matrix*>& matrices);

}  // namespace strata::dmrg
