// SPDX-License-Identifier: BSD-3-Clause
// Where the rows are that a rank needs to apply H: in its own memory, in that of its node, or after it among rows that
// arrive by message; and its tables of hops, written in terms of these places.
#pragma once

#include <memory>
#include <vector>

#include "comm/node_memory.hpp"
#include "comm/row_exchange.hpp"
#include "lanczos/plan.hpp"

namespace strata::lanczos {

/// Hops of a matrix, amplitude by amplitude.
struct HoppingPairs {
    explicit HoppingPairs(const HoppingView& hops, std::uint64_t rows);
    PairView view() const;
    std::uint64_t bytes() const { return 8 * rows.size(); }

    std::vector<std::uint64_t> first;
    std::vector<std::uint32_t> rows, columns;
    const double *re, *im;
};

/// Particles that come from other subspaces.
struct IncomingHops {
    std::vector<std::size_t> from;
    std::vector<std::vector<std::uint32_t>> sources;
    std::vector<std::vector<HoppingView>> hops;
    std::vector<std::vector<HoppingPairs>> pairs;
    std::vector<std::vector<PairView>> pair_views;
    std::vector<SubspaceHopsView> views;  ///< of all these
};

/// What one subspace of the sector needs.
struct SubspaceRows {
    BlockLayout layout;
    HamiltonianView h;
    std::unique_ptr<HoppingRows> rows;      ///< of h.rows
    std::unique_ptr<RowExchange> exchange;  ///< with other nodes
    IncomingHops incoming;
    std::uint64_t first_tile = 0;  ///< of this rank's tiles

    std::uint64_t local_blocks() const { return layout.blocks.size() + (exchange == nullptr ? 0 : exchange->blocks()); }
    std::uint64_t local_reals() const { return local_blocks() * layout.block_size(); }
};

enum class PanelTranspose { allowed, none };

class RowPlan {
  public:
    /// `sharing`: whether the ranks of a node can read each other's memory. Collective over `comm`.
    RowPlan(const Communicator& comm, const LanczosPlan& plan, Sharing sharing, PanelTranspose transpose);

    const Node& node() const { return *node_; }
    bool transposed() const { return transposed_; }  ///< panels travel, not rows
    std::vector<SubspaceRows>& subspaces() { return subspaces_; }
    const std::vector<SubspaceRows>& subspaces() const { return subspaces_; }
    std::uint64_t tiles() const { return tiles_; }
    std::uint64_t scratch_reals() const;  ///< per thread
    /// What this rank really exchanges with other nodes.
    RankRows rank_rows() const;
    std::vector<Range> blocks_of_ranks(std::size_t subspace) const;
    /// A line for the user.
    std::string exchange_description() const;

  private:
    std::uint64_t find_rows(std::size_t subspace, std::vector<std::uint64_t>& local_indices);
    void check_local_rows(std::uint64_t rows) const;
    void add_incoming(const SubspaceHops& between, const std::vector<std::uint64_t>& local_indices, Range rows);
    void write_tables(std::size_t subspace, const std::vector<std::vector<std::uint64_t>>& local_indices);

    const Communicator& comm_;
    const LanczosPlan& plan_;
    std::unique_ptr<Node> node_;
    bool transposed_ = false;
    std::vector<SubspaceRows> subspaces_;
    std::uint64_t tiles_ = 0;
};

}  // namespace strata::lanczos
