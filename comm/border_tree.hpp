// SPDX-License-Identifier: BSD-3-Clause
// Resolution of labels by contraction of border graphs along a binary tree of ranks, in a number of rounds that depends
// on the number of ranks only.
#pragma once

#include "comm/label_ownership.hpp"

namespace strata {

/// The protocol `tree` of resolve(): 2 ceil(log2 ranks) rounds.
ResolutionCost resolve_by_tree(const Communicator& comm, BorderClusters& clusters);

}  // namespace strata
