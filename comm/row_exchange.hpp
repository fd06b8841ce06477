// SPDX-License-Identifier: BSD-3-Clause
// Exchange of ghost rows: each rank asks the owners once for the rows of a distributed matrix that it needs; afterwards
// every exchange brings their present values. Received rows are grouped by owner, in ascending order, and each group is
// padded to whole blocks of rows, so that the groups can follow the rank's own blocks in memory:
//
//     | own blocks | rows of rank 0, padding | rows of rank 2, padding | ...        each [block][panel][row][real]
#pragma once

#include <cstdint>
#include <list>
#include <vector>

#include "comm/exchange.hpp"
#include "comm/tags.hpp"
#include "strata/buffer.hpp"
#include "strata/partition.hpp"

namespace strata {

/// How rows are stored in blocks.
struct RowShape {
    std::uint64_t rows = 16;   ///< rows of a block
    std::uint64_t panels = 1;  ///< panels of a block
    std::uint64_t reals = 32;  ///< doubles of a row in one panel
    /// Doubles of a block.
    std::uint64_t block() const { return rows * panels * reals; }
};

class RowExchange {
  public:
    /// `blocks`: those of each rank, ascending without gaps. `needed`: rows of other ranks, ascending. `comm` must
    /// outlive the object. Collective.
    RowExchange(const Communicator& comm, const RowShape& shape, std::vector<Range> blocks,
                const std::vector<std::uint64_t>& needed);

    /// Blocks of the received rows.
    std::uint64_t blocks() const { return blocks_received_; }
    /// [i]: index of the i-th needed row among the rows of these blocks.
    const std::vector<std::uint64_t>& local_indices() const { return local_indices_; }
    /// Own rows in the order of sending, in whole blocks; padding() for a row of padding.
    const std::vector<std::uint64_t>& sent_rows() const { return sent_rows_; }
    static constexpr std::uint64_t padding() { return ~std::uint64_t{0}; }
    /// Plans the messages of one exchange from rows packed in that order, for memory of any backend.
    template <class Backend>
    void plan(Exchange<Backend>& exchange, const void* packed, void* received) const {
        const std::uint64_t bytes = shape_.block() * sizeof(double);
        for (const Message& m : receives_)
            exchange.plan_receive(m.peer, tag::rows, static_cast<char*>(received) + m.first_block * bytes,
                                  m.blocks * bytes);
        for (const Message& m : sends_)
            exchange.plan_send(m.peer, tag::rows, static_cast<const char*>(packed) + m.first_block * bytes,
                               m.blocks * bytes);
    }
    std::uint64_t packed_bytes() const { return packed_.bytes(); }
    std::uint64_t bytes_received() const { return blocks_received_ * shape_.block() * sizeof(double); }

    /// Sends rows of `own` to the ranks that need them and receives blocks() blocks into `received`. Messages are
    /// planned once for every address that is received into.
    void start(const double* own, double* received);
    void finish();

  private:
    struct Message {
        int peer;
        std::uint64_t first_block, blocks;  ///< of the packed, or of the received blocks
    };
    /// The exchange that receives into one address.
    struct Planned {
        Planned(const Communicator& comm, double* to) : received(to), exchange(comm) {}
        double* received;
        Exchange<Cpu> exchange;
    };
    void plan_receives(const std::vector<std::vector<std::uint64_t>>& asked);
    void plan_sends(const std::vector<std::vector<std::uint64_t>>& asked, std::uint64_t first_own_row);
    void pack(const double* own);

    const Communicator& comm_;
    RowShape shape_;
    std::vector<std::uint64_t> local_indices_, sent_rows_;
    std::vector<Message> sends_, receives_;
    std::uint64_t blocks_received_ = 0;
    Buffer<double> packed_;
    std::list<Planned> planned_;
    Exchange<Cpu>* under_way_ = nullptr;
};

}  // namespace strata
