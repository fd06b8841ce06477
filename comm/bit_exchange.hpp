// SPDX-License-Identifier: BSD-3-Clause
// Exchange of the bits of a state's index that number the ranks with local bits: every rank owns some rows of a matrix,
// receives, piece by piece, all rows of some columns, computes on them and sends them back. A piece is an all-to-all
// exchange of equal parts. Three pieces are under way at a time, so that the messages of one are hidden behind the
// computation on another, and no second copy of the matrix is needed:
//
//     rank 0   a0 a1 | a2 a3        columns of rank 0: a0 b0 | a1 b1        (4 columns, pieces of one column)
//     rank 1   b0 b1 | b2 b3        columns of rank 1: a2 b2 | a3 b3
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "comm/exchange.hpp"
#include "comm/tags.hpp"
#include "strata/buffer.hpp"

namespace strata {

template <class Backend>
class BitExchange {
  public:
    static constexpr int slots = 3;

    /// `part_bytes`: bytes of a piece between two ranks, the same for every pair. `exchange()` makes a
    /// std::unique_ptr<Exchange<Backend>>. Messages are sent to the ranks marked in `remote`; the caller copies the
    /// parts of the others. `comm` is not stored.
    template <class MakeExchange>
    BitExchange(const Communicator& comm, std::size_t part_bytes, const std::vector<bool>& remote,
                MakeExchange exchange)
        : comm_size_(comm.size()),
          part_bytes_(part_bytes),
          rows_(slots * part_bytes * remote.size()),
          columns_(slots * part_bytes * remote.size()) {
        for (std::unique_ptr<Exchange<Backend>>& one : exchanges_) one = exchange();
        for (int slot = 0; slot < slots; ++slot)
            for (int rank = 0; rank < comm_size_; ++rank) {
                if (!remote[static_cast<std::size_t>(rank)]) continue;
                const int there = tag::bit_exchange + slot, back = tag::bit_exchange_back + slot;
                exchanges_[slot]->plan_send(rank, there, rows(slot, rank), part_bytes);
                exchanges_[slot]->plan_receive(rank, there, columns(slot, rank), part_bytes);
                exchanges_[slots + slot]->plan_send(rank, back, columns(slot, rank), part_bytes);
                exchanges_[slots + slot]->plan_receive(rank, back, rows(slot, rank), part_bytes);
            }
    }

    /// rows(): this rank's rows of the columns that `rank` computes on. columns(): the rows of `rank` in the columns
    /// that this rank computes on; they are contiguous in the order of ranks.
    char* rows(int slot, int rank) { return rows_.data() + offset(slot, rank); }
    char* columns(int slot, int rank) { return columns_.data() + offset(slot, rank); }

    /// For every piece: take(piece, slot) fills rows(slot, .), work(piece, slot) changes columns(slot, .), and
    /// put(piece, slot) reads the returned rows(slot, .). Collective, with the same number of pieces on all ranks.
    template <class Take, class Work, class Put>
    void run(std::uint64_t pieces, Take take, Work work, Put put) {
        // in one turn, piece `turn` is sent, the one before is computed and returned, the one before that is stored
        const auto slot_of = [](std::uint64_t piece) { return static_cast<int>(piece % slots); };
        for (std::uint64_t turn = 0; turn < pieces + 2; ++turn) {
            if (turn < pieces) {
                take(turn, slot_of(turn));
                exchanges_[slot_of(turn)]->start();
            }
            if (turn >= 1 && turn <= pieces) {
                const int slot = slot_of(turn - 1);
                exchanges_[slot]->finish();
                work(turn - 1, slot);
                exchanges_[slots + slot]->start();
            }
            if (turn >= 2) {
                const int slot = slot_of(turn - 2);
                exchanges_[slots + slot]->finish();
                put(turn - 2, slot);
            }
        }
    }

    /// Bytes of the two buffers, on host or device.
    static std::uint64_t bytes(std::size_t part_bytes, int ranks) {
        return std::uint64_t{2} * slots * part_bytes * static_cast<std::uint64_t>(ranks);
    }

  private:
    std::size_t offset(int slot, int rank) const {
        return (static_cast<std::size_t>(slot) * static_cast<std::size_t>(comm_size_) +
                static_cast<std::size_t>(rank)) *
               part_bytes_;
    }

    int comm_size_;
    std::size_t part_bytes_;
    Buffer<char, Backend> rows_, columns_;
    std::unique_ptr<Exchange<Backend>> exchanges_[2 * slots];  ///< [slot] to the computing rank, then [slot] back
};

}  // namespace strata
