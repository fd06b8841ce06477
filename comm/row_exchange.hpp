// SPDX-License-Identifier: BSD-3-Clause
// Exchange of ghost rows: each rank requests from the owners, once, the rows of a distributed matrix that it needs;
// afterwards every exchange delivers their present values. Received rows are grouped by owner, in ascending order, and
// each group is padded to whole blocks of rows, so that the groups can follow the rank's own blocks in memory:
//
//     | own blocks | rows of rank 0, padding | rows of rank 2, padding | ...        each [block][panel][row][real]
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "comm/exchange.hpp"
#include "comm/tags.hpp"
#include "strata/buffer.hpp"
#include "strata/partition.hpp"

namespace strata {

/// Storage of rows in blocks, each [panel][row][real].
struct RowShape {
    std::uint64_t rows = 16;    ///< rows of a block
    std::uint64_t panels = 1;   ///< panels of a block
    std::uint64_t bytes = 256;  ///< bytes of a row in one panel
    /// Bytes of a block.
    std::uint64_t block() const { return rows * panels * bytes; }
};

class RowExchange {
  public:
    /// `blocks`: [rank] its blocks, ascending without gaps. `needed`: rows of other ranks that this rank reads,
    /// ascending. `comm` must outlive the object. Collective.
    RowExchange(const Communicator& comm, const RowShape& shape, std::vector<Range> blocks,
                const std::vector<std::uint64_t>& needed);

    /// Number of blocks of received rows, padding included.
    std::uint64_t blocks() const { return blocks_received_; }
    /// [i] index of the i-th needed row among the rows of the received blocks.
    const std::vector<std::uint64_t>& local_indices() const { return local_indices_; }
    /// Own rows in the order in which they are packed and sent, in whole blocks; padding() for a row of padding.
    const std::vector<std::uint64_t>& sent_rows() const { return sent_rows_; }
    static constexpr std::uint64_t padding() { return ~std::uint64_t{0}; }
    /// Plans the messages of one exchange, for memory of any backend. `packed`: rows in the order of sent_rows();
    /// `received`: blocks() blocks.
    template <class Backend>
    void plan(Exchange<Backend>& exchange, const void* packed, void* received) const {
        messages_.plan(exchange, tag::rows, packed, received, shape_.block());
    }
    std::uint64_t packed_bytes() const { return packed_.bytes(); }
    std::uint64_t bytes_received() const { return blocks_received_ * shape_.block(); }

    /// Sends rows of `own` to the ranks that need them and receives blocks() blocks into `received`, which finish()
    /// completes. Messages are planned once for every address `received`. Collective.
    void start(const void* own, void* received);
    void finish() { exchanges_.finish(); }

  private:
    void plan_receives(const std::vector<std::vector<std::uint64_t>>& asked);
    void plan_sends(const std::vector<std::vector<std::uint64_t>>& asked, std::uint64_t first_own_row);
    void pack(const std::byte* own);

    const Communicator& comm_;
    RowShape shape_;
    std::vector<std::uint64_t> local_indices_, sent_rows_;
    ItemMessages messages_;  ///< items are blocks
    std::uint64_t blocks_received_ = 0;
    Buffer<std::byte> packed_;
    PlannedExchanges exchanges_;  ///< by the address of the received blocks
};

}  // namespace strata
