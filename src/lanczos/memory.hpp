// SPDX-License-Identifier: BSD-3-Clause
// Memory of a Lanczos run by counting, one model for forecasts and for running operator: an operator passes the rows that
// it really exchanges, a forecast those counted for the rank that needs most.
#pragma once

#include "lanczos/ghost_rows.hpp"
#include "lanczos/plan.hpp"
#include "strata/memory.hpp"

namespace strata::lanczos {

/// How rows of other nodes arrive: one by one as they are needed, or all of some panels, transposed and back.
enum class ExchangeMethod { rows, transpose };

/// Of an operator on `rank` with `vectors` vectors beside its working pair.
MemoryPrediction operator_memory(const LanczosPlan& plan, int rank, const RankRows& rows, ExchangeMethod method,
                                 std::uint64_t vectors, BackendKind backend);

/// Of an operator on the rank that takes most. On a node of one rank all rows of other ranks arrive by messages; of several
/// ranks those that do are not counted if the ranks can read each other's rows in place.
MemoryPrediction largest_operator_memory(const LanczosPlan& plan, std::uint64_t vectors, BackendKind backend,
                                         int ranks_per_node = 1);

/// Of the whole run on that rank: its operator, that of the sector a spectrum leads to, and the task.
MemoryPrediction largest_memory(const LanczosPlan& plan, std::uint64_t vectors, BackendKind backend,
                                int ranks_per_node = 1);

/// What the task of the plan takes on `rank` beside its operator: sums of a basis of `vectors` vectors, tables of the
/// density matrix, and the most of what is taken for a while, for observables, for a state that is made, or for a piece
/// of a checkpoint.
std::vector<MemoryPrediction::Item> task_memory(const LanczosPlan& plan, int rank, std::uint64_t vectors,
                                                BackendKind backend);

}  // namespace strata::lanczos
