// SPDX-License-Identifier: BSD-3-Clause
// Memory of a Lanczos run by counting. One model serves the forecast, which uses the counted exchange of the rank that
// needs most memory, and a running operator, which passes the rows that it really exchanges.
#pragma once

#include "lanczos/state/ghost_rows.hpp"
#include "lanczos/state/plan.hpp"
#include "strata/memory.hpp"

namespace strata::lanczos {

/// How rows of other nodes are exchanged: ghost rows, or panels that are transposed there and back.
enum class ExchangeMethod { rows, transpose };

/// Memory of the Hamiltonian operator on `rank`, with `vectors` vectors beside the pair v, w.
MemoryPrediction operator_memory(const LanczosPlan& plan, int rank, const RankRows& rows, ExchangeMethod method,
                                 std::uint64_t vectors, BackendKind backend);

/// The same on the rank that needs most memory. A node has `ranks_per_node` ranks; where these read each other's rows
/// in place, no ghost rows are counted.
MemoryPrediction largest_operator_memory(const LanczosPlan& plan, std::uint64_t vectors, BackendKind backend,
                                         int ranks_per_node = 1);

/// Memory of the whole run on the rank that needs most: its operator, the operator of the largest sector that a
/// spectrum leads to, and the task.
MemoryPrediction largest_memory(const LanczosPlan& plan, std::uint64_t vectors, BackendKind backend,
                                int ranks_per_node = 1);

/// Memory of the plan's task on `rank` beside its operator: sums over a basis of `vectors` vectors, tables of the
/// density matrix, and the largest of the temporary buffers: observables, a state that is prepared, a checkpoint's
/// slab.
std::vector<MemoryPrediction::Item> task_memory(const LanczosPlan& plan, int rank, std::uint64_t vectors,
                                                BackendKind backend);

/// Memory of the recurrences and quadratures of all random vectors in `sectors` sectors.
std::vector<MemoryPrediction::Item> thermal_memory(const LanczosConfig& config, std::uint64_t sectors);

}  // namespace strata::lanczos
