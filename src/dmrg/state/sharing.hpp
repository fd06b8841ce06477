// SPDX-License-Identifier: BSD-3-Clause
// Distribution of independent tasks, each of which computes one matrix on one rank, and the exchange of the results.
// All ranks get all matrices with the same bits.
#pragma once

#include <vector>

#include "comm/communicator.hpp"
#include "dmrg/physics/matrix.hpp"

namespace strata::dmrg {

/// [task] rank that computes it: tasks are assigned by descending cost, each to the rank with the least work so far.
std::vector<int> shared_out(const std::vector<double>& costs, int ranks);

/// Sends each matrix from the rank that has computed it to all others, where it must have the same shape; one broadcast
/// per rank. Collective.
void share(const Communicator& comm, const std::vector<int>& made_by, const std::vector<Matrix*>& matrices);

}  // namespace strata::dmrg
