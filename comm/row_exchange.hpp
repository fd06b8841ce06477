// SPDX-License-Identifier: BSD-3-Clause
// Needed rows: each rank asks the owners for the rows of a distributed matrix that it needs, once; afterwards every
// exchange brings their present values. Rows come in groups of one owner, in ascending order, each group padded to
// whole blocks of rows, [block][panel][row][real], so that they can follow the rank's own blocks in memory.
#pragma once

#include <cstdint>
#include <list>
#include <vector>

#include "comm/exchange.hpp"
#include "strata/buffer.hpp"
#include "strata/partition.hpp"

namespace strata {

/// How rows lie in blocks.
struct RowShape {
    std::uint64_t rows = 16;   ///< in a block
    std::uint64_t panels = 1;  ///< of a row
    std::uint64_t reals = 32;  ///< of a row in one panel
    std::uint64_t block() const { return rows * panels * reals; }
};

class RowExchange {
  public:
    /// `blocks`: of each rank, without gaps. `needed`: rows of other ranks, ascending. Collective.
    RowExchange(const Communicator& comm, const RowShape& shape, std::vector<Range> blocks,
                const std::vector<std::uint64_t>& needed);

    /// Blocks that the needed rows take.
    std::uint64_t blocks() const { return blocks_received_; }
    /// Place of the i-th needed row among them, in rows.
    const std::vector<std::uint64_t>& local_indices() const { return local_indices_; }
    /// Own rows in the order of sending, in whole blocks; padding() where there is none.
    const std::vector<std::uint64_t>& sent_rows() const { return sent_rows_; }
    static constexpr std::uint64_t padding() { return ~std::uint64_t{0}; }
    /// The messages of one exchange from rows packed in that order, for memory of any backend.
    template <class Backend>
    void plan(Exchange<Backend>& exchange, const void* packed, void* received) const {
        const std::uint64_t bytes = shape_.block() * sizeof(double);
        for (const Message& m : receives_)
            exchange.plan_receive(m.peer, tag, static_cast<char*>(received) + m.first_block * bytes, m.blocks * bytes);
        for (const Message& m : sends_)
            exchange.plan_send(m.peer, tag, static_cast<const char*>(packed) + m.first_block * bytes, m.blocks * bytes);
    }
    std::uint64_t packed_bytes() const { return packed_.bytes(); }
    std::uint64_t bytes_received() const { return blocks_received_ * shape_.block() * sizeof(double); }

    /// Sends rows of `own` to those who need them and receives into `received`, blocks() blocks. Messages are planned
    /// once for every place of receipt.
    void start(const double* own, double* received);
    void finish();

  private:
    static constexpr int tag = 61;
    struct Message {
        int peer;
        std::uint64_t first_block, blocks;
    };
    struct Planned {
        Planned(const Communicator& comm, double* to) : received(to), exchange(comm) {}
        double* received;
        Exchange<Cpu> exchange;
    };
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
