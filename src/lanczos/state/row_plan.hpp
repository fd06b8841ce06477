// SPDX-License-Identifier: BSD-3-Clause
// The rows that a rank reads when it applies H, and its hopping matrices in terms of them. Rows of ranks on the same
// node are read in place, from shared memory; ghost rows of other nodes arrive by messages and lie behind the rank's
// own. Within one subspace, local indices count the rows of a node from the first row of its first rank:
//
//     | own rows of rank 0 | ghost rows of rank 0 | own rows of rank 1 | ghost rows of rank 1 | ...
//     0                    in whole blocks of 16 rows, each part padded to the next block
#pragma once

#include <memory>
#include <vector>

#include "comm/node_memory.hpp"
#include "comm/row_exchange.hpp"
#include "lanczos/state/plan.hpp"

namespace strata::lanczos {

/// sum_R R x C_R into one subspace from one, with the memory that its SubspaceHopsView points to.
struct IncomingHops {
    std::size_t from = 0;                ///< source subspace
    std::vector<std::uint32_t> sources;  ///< [own row][R] local index of the source row << 1 | minus, or none
    std::vector<HoppingView> hops;       ///< [R] C_R
};

/// Tables and exchange by which this rank applies H within one subspace, and into it from others.
struct SubspaceRows {
    BlockLayout layout;
    HamiltonianView h;
    std::unique_ptr<HoppingRows> rows;             ///< memory of h.rows; null on one rank, whose rows are those of h.up
    std::vector<std::uint32_t> row_numbers;        ///< [local index] row; certified sectors of symmetries alone
    std::unique_ptr<RowExchange> exchange;         ///< ghost rows of other nodes; null if all ranks share one node
    std::vector<IncomingHops> incoming;            ///< one for each subspace that terms lead from into this one
    std::vector<SubspaceHopsView> incoming_views;  ///< views of `incoming`, in the same order

    /// Number of own blocks and of the blocks of ghost rows behind them.
    std::uint64_t local_blocks() const { return layout.blocks.size() + (exchange == nullptr ? 0 : exchange->blocks()); }
    std::uint64_t local_reals() const { return local_blocks() * layout.block_size(); }
};

/// Whether panels may be transposed between the ranks, instead of sending ghost rows.
enum class PanelTranspose { allowed, none };

class RowPlan {
  public:
    /// `sharing`: whether the ranks of a node can read each other's memory. `comm` and `plan` must outlive it. Throws
    /// Error(does_not_fit) if a node has more rows than local indices. Collective over `comm`.
    RowPlan(const Communicator& comm, const LanczosPlan& plan, Sharing sharing, PanelTranspose transpose);

    const Node& node() const { return *node_; }
    /// Whether H_up is applied by transposing panels; then there are neither local indices nor ghost rows.
    bool transposed() const { return transposed_; }
    /// Whether hops are computed on several nodes: every rank reads from a copy of the whole vector.
    bool copies_whole() const { return plan_.counts().computes_hops() && !one_node(); }
    std::vector<SubspaceRows>& subspaces() { return subspaces_; }
    const std::vector<SubspaceRows>& subspaces() const { return subspaces_; }
    /// Reals of scratch memory per thread, enough for every subspace.
    std::uint64_t scratch_reals() const;
    /// Doubles of scratch memory per thread of a product in doubles.
    std::uint64_t wide_scratch_doubles() const;
    /// Bound of |y - H x| / |x| for y = H x by products and sums of doubles, H shifted by any of its energies, with the
    /// rounding of the elements of H; from all rows, the same on all ranks.
    double product_rounding() const;
    /// Reals that this rank exchanges per step, and the entries of H_up that it lists.
    RankRows rank_rows() const;
    std::vector<Range> blocks_of_ranks(std::size_t subspace) const;
    /// One line for the user: how rows are exchanged. Empty on one rank.
    std::string exchange_description() const;

  private:
    using LocalIndices = std::vector<std::uint64_t>;  ///< [global row]; 0 unless it is a row of the node or a ghost row

    bool one_node() const { return static_cast<int>(node_->ranks().size()) == comm_.size(); }
    std::uint64_t find_rows(std::size_t subspace, LocalIndices& local_indices);
    std::vector<std::uint64_t> ghost_rows(std::size_t subspace) const;
    void number_rows(std::size_t subspace, std::uint64_t count, const std::vector<std::uint64_t>& ghosts,
                     const LocalIndices& local_indices);
    void check_row_count(std::uint64_t rows) const;
    void write_tables(std::size_t subspace, const std::vector<LocalIndices>& local_indices);
    void add_incoming(const SubspaceHops& between, const LocalIndices& local_indices, Range rows);

    const Communicator& comm_;
    const LanczosPlan& plan_;
    std::unique_ptr<Node> node_;
    bool transposed_ = false;
    std::vector<SubspaceRows> subspaces_;
};

}  // namespace strata::lanczos
