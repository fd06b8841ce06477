// SPDX-License-Identifier: BSD-3-Clause
// Memory of a Lanczos run by counting. One model serves the forecast, which takes the counted exchange of the rank that
// needs most, and a running operator, which passes the rows that it really exchanges.
#pragma once

#include "lanczos/ghost_rows.hpp"
#include "lanczos/plan.hpp"
#include "strata/memory.hpp"

namespace strata::lanczos {

/// How rows of other nodes are exchanged: ghost rows, or panels that are transposed there and back.
enum class ExchangeMethod { rows, transpose };

/// Memory of the Hamiltonian operator on `rank`, with `vectors` vectors beside the pair v, w.
MemoryPrediction operator_memory(const LanczosPlan& plan, int rank, const RankRows& rows, ExchangeMethod method,
                                 std::uint64_t vectors, BackendKind backend);

/// The same on the rank that needs most. Every node counts `ranks_per_node` ranks; where these read each other's rows
/// in place, no ghost rows are counted.
MemoryPrediction largest_operator_memory(const LanczosPlan& plan, std::uint64_t vectors, BackendKind backend,
                                         int ranks_per_node = 1);

/// Memory of the whole run on that rank: its operator, that of the sector that a spectrum leads to, and the task.
MemoryPrediction largest_memory(const LanczosPlan& plan, std::uint64_t vectors, BackendKind backend,
                                int ranks_per_node = 1);

/// Memory of the plan's task on `rank` beside its operator: sums over a basis of `vectors` vectors, tables of the
/// density matrix, and the largest of what is allocated for a while: observables, a state that is prepared, a
/// checkpoint's slab.
std::vector<MemoryPrediction::Item> task_memory(const LanczosPlan& plan, int rank, std::uint64_t vectors,
                                                BackendKind backend);

/// What thermal averages keep of the random vectors of so many sectors.
std::vector<MemoryPrediction::Item> thermal_memory(const LanczosConfig& config, std::uint64_t sectors);

}  // namespace strata::lanczos
