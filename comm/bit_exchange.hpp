// SPDX-License-Identifier: BSD-3-Clause
// Exchanges the bits of a state's index that number the ranks against local ones: every rank holds some rows of a
// matrix and gets, piece by piece, all rows of some columns, works on them and returns them. A piece is an all-to-all
// exchange of equal parts. Three pieces are under way at a time, so that messages of one are hidden behind the work on
// another, and no second copy of the matrix exists:
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

    /// `part_bytes`: of a piece between two ranks. `exchange()` makes a std::unique_ptr<Exchange<Backend>>.
    /// Messages go to the ranks marked in `remote`; parts of the others are the caller's to copy.
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

    /// This rank's rows of columns that belong to `rank`, and all of `rank`'s rows of this rank's columns. The latter
    /// lie one after another, in the order of ranks.
    char* rows(int slot, int rank) { return rows_.data() + offset(slot, rank); }
    char* columns(int slot, int rank) { return columns_.data() + offset(slot, rank); }

    /// For every piece: take(piece, slot) fills rows(slot, .), work(piece, slot) changes columns(slot, .), and
    /// put(piece, slot) takes rows(slot, .) back. Collective, with the same number of pieces on all ranks.
    template <class Take, class Work, class Put>
    void run(std::uint64_t pieces, Take take, Work work, Put put) {
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

    /// Bytes that this takes, on host or device.
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
    std::unique_ptr<Exchange<Backend>> exchanges_[2 * slots];  ///< [slot] there, then [slot] back
};

}  // namespace strata
