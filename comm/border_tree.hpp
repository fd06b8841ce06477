// SPDX-License-Identifier: BSD-3-Clause
// Label resolution by contraction of border graphs along a binary tree of ranks.
#pragma once

#include "comm/label_ownership.hpp"

namespace strata {

/// See resolve(): the same result in 2 ceil(log2 ranks) rounds.
MergeCost resolve_by_tree(const Communicator& comm, BorderClusters& clusters);

}  // namespace strata
