// SPDX-License-Identifier: BSD-3-Clause
// Bytes of vectors, tables, sums and exchange buffers from the layout of a rank and the counts of its sector. Memory
// that is used only while tables are built is smaller than the vectors that are allocated later, and is not counted.
#include "lanczos/state/memory.hpp"

#include <algorithm>

#include "krylov/backend_space.hpp"
#include "lanczos/state/pair_hops.hpp"
#include "strata/buffer.hpp"
#include "strata/checkpoint.hpp"
#include "strata/exact_sum.hpp"

namespace strata::lanczos {
namespace {

/// Memory of a Hamiltonian operator by purpose.
struct OperatorBytes {
    std::uint64_t pair = 0, others = 0, tables = 0, sums = 0, scratch = 0, exchange = 0;
    std::uint64_t total() const { return pair + others + tables + sums + scratch + exchange; }
};

std::uint64_t tiles_of(const LanczosPlan& plan, int rank) {
    std::uint64_t tiles = 0;
    for (std::size_t p = 0; p < plan.counts().subspace_counts().size(); ++p) tiles += plan.layout(p, rank).tiles();
    return tiles;
}

/// Bytes of the work memory of vectors, for a basis of `count` vectors.
std::uint64_t space_bytes(const LanczosPlan& plan, int rank, std::uint64_t count, BackendKind backend) {
    const std::uint64_t tiles = tiles_of(plan, rank), reals = plan.vector_bytes(rank) / plan.real_bytes();
    if (backend == BackendKind::cpu)
        return krylov::BackendSpace<Cpu, double>::work_bytes(tiles, reals, plan.arithmetic(), count, plan.threads());
    return krylov::BackendSpace<Cuda, double>::work_bytes(tiles, reals, plan.arithmetic(), count, 1);
}

/// Bytes of the tables of a rank's rows: H_up in local indices, source rows in other subspaces.
std::uint64_t row_table_bytes(const LanczosPlan& plan, int rank, const RankRows& rows) {
    const SectorCounts& counts = plan.counts();
    if (counts.computes_hops()) return 0;
    std::uint64_t bytes = 0;
    if (plan.ranks() > 1) {  // one rank reads the tables of the sector
        bytes += 4 * rows.up_entries;
        for (std::size_t p = 0; p < counts.subspace_counts().size(); ++p)
            bytes += HoppingRows::bytes(plan.layout(p, rank).own_rows().size(), 0);
    }
    if (plan.config().certified && counts.symmetric()) bytes += sizeof(std::uint32_t) * plan.layout(0, rank).dim_up;
    for (const SubspaceHopCounts& c : counts.subspace_hop_counts())
        bytes += sizeof(std::uint32_t) * plan.layout(c.to, rank).own_rows().size() * c.rows.size();
    return bytes;
}

/// Doubles of scratch memory per thread of a product in doubles.
std::uint64_t wide_scratch(const LanczosPlan& plan) {
    const SectorCounts& counts = plan.counts();
    std::uint64_t between = 0, doubles = 0;
    for (const SubspaceHopCounts& c : counts.subspace_hop_counts())
        between = std::max(between, plan.layout(c.from, 0).block_size());
    HamiltonianView h;
    h.coupling = counts.coupling();
    for (std::size_t p = 0; p < counts.subspace_counts().size(); ++p) {
        h.layout = plan.layout(p, 0);
        doubles = std::max(doubles, wide_scratch_doubles(h, between));
    }
    return doubles;
}

/// Bytes of scratch memory of all threads, enough for every subspace.
std::uint64_t scratch_bytes(const LanczosPlan& plan) {
    const SectorCounts& counts = plan.counts();
    std::uint64_t reals = 0;
    HamiltonianView h;
    h.coupling = counts.coupling();
    for (std::size_t p = 0; p < counts.subspace_counts().size(); ++p) {
        h.layout = plan.layout(p, 0);
        reals = std::max(reals, scratch_reals(h));
    }
    for (const SubspaceHopCounts& c : counts.subspace_hop_counts())
        reals = std::max(reals, plan.layout(c.from, 0).block_size() + plan.layout(c.to, 0).block_size());
    std::uint64_t bytes = plan.real_bytes() * reals;
    if (plan.config().certified) bytes += sizeof(double) * wide_scratch(plan);
    return bytes * static_cast<std::uint64_t>(plan.threads());
}

/// Bytes of one vector in host memory, where every subspace is padded to whole pages.
std::uint64_t host_vector_bytes(const LanczosPlan& plan, int rank) {
    std::uint64_t bytes = 0;
    for (std::size_t p = 0; p < plan.counts().subspace_counts().size(); ++p)
        bytes += Memory<Cpu>::padded(plan.real_bytes() * plan.layout(p, rank).size());
    return bytes;
}

/// Bytes of the transposed blocks on a device, enough for every subspace.
std::uint64_t device_columns_bytes(const LanczosPlan& plan) {
    std::uint64_t reals = 0;
    for (std::size_t p = 0; p < plan.counts().subspace_counts().size(); ++p) {
        const BlockLayout l = plan.layout(p, 0);
        reals = std::max(reals, device_blocks_together(l, plan.real_bytes()) * l.block_size());
    }
    return plan.real_bytes() * reals;
}

/// `vectors`: number of vectors beside the pair v, w. Received rows lie behind both vectors of the pair; sent rows are
/// packed into one buffer.
OperatorBytes operator_bytes(const LanczosPlan& plan, int rank, const RankRows& rows, ExchangeMethod method,
                             std::uint64_t vectors, BackendKind backend) {
    const bool panels = method == ExchangeMethod::transpose;
    const std::uint64_t received = panels ? 0 : plan.real_bytes() * rows.received;
    const std::uint64_t vector = backend == BackendKind::cpu ? host_vector_bytes(plan, rank) : plan.vector_bytes(rank);
    OperatorBytes b;
    b.pair = 2 * vector;
    b.others = vectors * vector;
    b.tables = plan.counts().table_bytes(plan.arithmetic()) + (panels ? 0 : row_table_bytes(plan, rank, rows));
    b.sums = space_bytes(plan, rank, 0, backend);
    b.scratch = scratch_bytes(plan);
    b.exchange = panels                          ? plan.transpose_bytes(rank)
                 : plan.counts().computes_hops() ? received  // one copy of the whole vector
                                                 : 2 * received + plan.real_bytes() * rows.sent;
    return b;
}

/// Reals of the largest subspace on a rank, which is copied to the host, or prepared there, as doubles.
std::uint64_t largest_subspace(const LanczosPlan& plan, int rank) {
    std::uint64_t reals = 0;
    for (std::size_t p = 0; p < plan.counts().subspace_counts().size(); ++p)
        reals = std::max(reals, plan.layout(p, rank).size());
    return reals;
}

}  // namespace

MemoryPrediction operator_memory(const LanczosPlan& plan, int rank, const RankRows& rows, ExchangeMethod method,
                                 std::uint64_t vectors, BackendKind backend) {
    const OperatorBytes b = operator_bytes(plan, rank, rows, method, vectors, backend);
    const std::string at_most = rows.exact ? "" : ", at most";
    MemoryPrediction m;
    m.checkpoint_bytes = plan.all_vector_bytes() * (vectors + 2);
    std::vector<MemoryPrediction::Item>& items = backend == BackendKind::cuda ? m.device : m.host;
    items = {{"two vectors", b.pair},
             {"other vectors", b.others},
             {"tables of hops" + at_most, b.tables},
             {"sums", b.sums},
             {"rows for and from other nodes" + at_most, b.exchange}};
    if (backend == BackendKind::cpu) {
        items.push_back({"threads' scratch", b.scratch});
        return m;
    }
    items.push_back({"columns", device_columns_bytes(plan)});
    m.host = {{"tables of hops" + at_most, b.tables},
              {"sums", b.sums},
              {"rows for and from other nodes" + at_most, 2 * plan.real_bytes() * rows.sent}};
    return m;
}

MemoryPrediction largest_operator_memory(const LanczosPlan& plan, std::uint64_t vectors, BackendKind backend,
                                         int ranks_per_node) {
    const bool cpu = backend == BackendKind::cpu;
    const bool in_place = cpu && ranks_per_node > 1 && plan.config().exchange == RequestedExchange::automatic;
    const ExchangeMethod method =
        cpu && !in_place && plan.transposes() ? ExchangeMethod::transpose : ExchangeMethod::rows;
    std::vector<RankRows> of_rank = plan.ghost_rows().of_rank;
    const bool copies_whole = plan.counts().computes_hops() && plan.ranks() > ranks_per_node;
    for (RankRows& rows : of_rank)
        if (in_place && !copies_whole) rows.received = rows.sent = 0;
    std::size_t largest = 0;
    std::uint64_t max_bytes = 0;
    for (std::size_t rank = 0; rank < of_rank.size(); ++rank) {
        const std::uint64_t bytes =
            operator_bytes(plan, static_cast<int>(rank), of_rank[rank], method, vectors, backend).total();
        if (bytes > max_bytes) largest = rank;
        max_bytes = std::max(max_bytes, bytes);
    }
    return operator_memory(plan, static_cast<int>(largest), of_rank[largest], method, vectors, backend);
}

MemoryPrediction::Item buffer_memory(const LanczosPlan& plan, int rank, BackendKind backend,
                                     const LanczosPlan* prepared, std::uint64_t terms) {
    const bool device = backend == BackendKind::cuda, single = plan.config().precision == Precision::single;
    const auto sites = static_cast<std::uint64_t>(plan.model().bits());
    const std::uint64_t subspace = largest_subspace(plan, rank), doubles = sizeof(double) * subspace;
    const std::uint64_t copy =
        plan.config().vectors ? (device || single ? doubles : 0) + (device && single ? doubles / 2 : 0) : 0;
    // exact sums of each thread and of the rank, and the buffers that send them
    const std::uint64_t observables =
        copy + 3 * sites * sites *
                   ((sizeof(double) + sizeof(ExactSum)) * (static_cast<std::uint64_t>(plan.threads()) + 1) + 40);
    const std::uint64_t piece = std::min<std::uint64_t>(checkpoint_slab_bytes, plan.real_bytes() * subspace);
    const std::uint64_t result = prepared != nullptr ? sizeof(double) * largest_subspace(*prepared, rank) : 0;
    const std::uint64_t state = prepared != nullptr ? result + (device ? result : copy) + terms : 0;
    return {"observables, states and checkpoints made", std::max({observables, state, piece})};
}

MemoryPrediction::Item orthogonalisation_memory(const LanczosPlan& plan, int rank, std::uint64_t vectors,
                                                BackendKind backend) {
    return {"orthogonalisation", space_bytes(plan, rank, vectors, backend) - space_bytes(plan, rank, 0, backend)};
}

MemoryPrediction::Item density_matrix_memory(const LanczosPlan& plan, BackendKind backend) {
    const int last = plan.model().lattice.sites - 1;
    std::uint64_t max_bytes = 0;
    for (const auto& [i, j] : {std::pair{0, last}, std::pair{0, 1}, std::pair{last - 1, last}}) {
        if (i < 0 || i >= j || j > last) continue;
        const MemoryPrediction m =
            largest_operator_memory(plan.for_model(hops_of_pair(plan, {i, j}, false)), 0, backend);
        max_bytes = std::max(max_bytes, m.host_bytes());
    }
    const std::uint64_t pair = backend == BackendKind::cpu ? 2 * host_vector_bytes(plan, 0) : 0;
    return {"density matrix", max_bytes - std::min(max_bytes, pair)};
}

}  // namespace strata::lanczos
