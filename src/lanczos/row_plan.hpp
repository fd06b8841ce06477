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
struct HopPairs {
    explicit HopPairs(const HopView& hops, std::uint64_t rows);
    PairView view() const;
    std::uint64_t bytes() const { return 8 * rows.size(); }

    std::vector<std::uint64_t> first;
    std::vector<std::uint32_t> rows, columns;
    const double *re, *im;
};

/// Particles that come from other products.
struct Entrances {
    std::vector<std::size_t> from;
    std::vector<std::vector<std::uint32_t>> sources;
    std::vector<std::vector<HopView>> hops;
    std::vector<std::vector<HopPairs>> pairs;
    std::vector<std::vector<PairView>> pair_views;
    std::vector<CrossingView> views;  ///< of all these
};

/// What one product of the sector needs.
struct ProductRows {
    BlockLayout layout;
    HamiltonianView h;
    std::unique_ptr<HopRows> rows;          ///< of h.rows
    std::unique_ptr<RowExchange> exchange;  ///< with other nodes
    Entrances entrances;
    std::uint64_t first_tile = 0;  ///< of this rank's tiles

    std::uint64_t blocks_in_reach() const {
        return layout.blocks.size() + (exchange == nullptr ? 0 : exchange->blocks());
    }
    std::uint64_t reals_in_reach() const { return blocks_in_reach() * layout.block_size(); }
};

enum class Turning { allowed, none };

class RowPlan {
  public:
    /// `sharing`: whether the ranks of a node can read each other's memory. Collective over `comm`.
    RowPlan(const Communicator& comm, const LanczosPlan& plan, Sharing sharing, Turning turning);

    const Node& node() const { return *node_; }
    bool turned() const { return turned_; }  ///< panels travel, not rows
    std::vector<ProductRows>& products() { return products_; }
    const std::vector<ProductRows>& products() const { return products_; }
    std::uint64_t tiles() const { return tiles_; }
    std::uint64_t scratch_reals() const;  ///< per thread
    /// What this rank really exchanges with other nodes.
    RankRows rank_rows() const;
    std::vector<Range> blocks_of_ranks(std::size_t product) const;
    /// A line for the user.
    std::string transport() const;

  private:
    std::uint64_t find_rows(std::size_t product, std::vector<std::uint64_t>& places);
    void check_local_rows(std::uint64_t rows) const;
    void add_entrance(const Crossing& crossing, const std::vector<std::uint64_t>& places, Range rows);
    void write_tables(std::size_t product, const std::vector<std::vector<std::uint64_t>>& places);

    const Communicator& comm_;
    const LanczosPlan& plan_;
    std::unique_ptr<Node> node_;
    bool turned_ = false;
    std::vector<ProductRows> products_;
    std::uint64_t tiles_ = 0;
};

}  // namespace strata::lanczos
