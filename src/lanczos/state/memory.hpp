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

/// Memory of the largest of the temporary buffers on `rank`: observables, a checkpoint's slab, and a state of the sector
/// `prepared`, if there is one, that is prepared on the host with `terms` bytes of operators.
MemoryPrediction::Item buffer_memory(const LanczosPlan& plan, int rank, BackendKind backend,
                                     const LanczosPlan* prepared = nullptr, std::uint64_t terms = 0);
/// Memory of sums over a basis of `vectors` vectors.
MemoryPrediction::Item orthogonalisation_memory(const LanczosPlan& plan, int rank, std::uint64_t vectors,
                                                BackendKind backend);
/// Memory of the operator c+_i c_j + h.c. by which the density matrix is computed: its tables, sums and exchange for the
/// bond that needs most. Its two vectors are counted with the others of the run.
MemoryPrediction::Item density_matrix_memory(const LanczosPlan& plan, BackendKind backend);

}  // namespace strata::lanczos
