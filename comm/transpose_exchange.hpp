// SPDX-License-Identifier: BSD-3-Clause
// All-to-all transpose of a matrix of which every rank owns some rows: piece by piece, each rank receives all rows of some
// columns, computes on them and sends the results back. Several pieces are under way at a time, so that the messages of
// one are hidden behind the computation on another, and no second copy of the matrix is needed:
//
//     rank 0   a0 a1 | a2 a3        columns of rank 0: a0 b0 | a1 b1        (4 columns, pieces of one column)
//     rank 1   b0 b1 | b2 b3        columns of rank 1: a2 b2 | a3 b3
//
// Rows are amplitudes of the bits that number the ranks (Trotter), or blocks of the right half of a vector (Lanczos).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <vector>

#include "comm/exchange.hpp"
#include "comm/tags.hpp"
#include "strata/buffer.hpp"

namespace strata {

/// Number of pieces under way. With two, results are stored before the next piece is sent; with three they travel
/// behind the next computation.
enum class PiecesUnderWay { two = 2, three = 3 };

/// Place of the results of a computation: in the columns, or in memory of their own.
enum class TransposeResults { in_place, apart };

template <class Backend>
class TransposeExchange {
  public:
    /// Bytes of a piece, [rank]: own rows in the columns that the rank computes on, and the rank's rows in own columns.
    struct Parts {
        std::vector<std::size_t> rows, columns;
    };
    static Parts equal_parts(int ranks, std::size_t bytes) {
        const std::vector<std::size_t> all(static_cast<std::size_t>(ranks), bytes);
        return {all, all};
    }

    /// `exchange()` makes a std::unique_ptr<Exchange<Backend>>. Messages are sent to the ranks marked in `remote`; the
    /// caller copies the parts of the others.
    template <class MakeExchange>
    TransposeExchange(PiecesUnderWay slots, const Parts& parts, TransposeResults results,
                      const std::vector<bool>& remote, MakeExchange exchange)
        : slots_(static_cast<int>(slots)),
          rows_(slots_, parts.rows),
          columns_(slots_, parts.columns),
          apart_(results == TransposeResults::apart ? slots_ : 0, parts.columns) {
        for (int slot = 0; slot < slots_; ++slot) {
            Exchange<Backend>& there = *there_.emplace_back(exchange());
            Exchange<Backend>& back = *back_.emplace_back(exchange());
            for (int rank = 0; rank < static_cast<int>(remote.size()); ++rank) {
                const auto r = static_cast<std::size_t>(rank);
                if (!remote[r]) continue;
                there.plan_send(rank, tag::transpose + slot, rows(slot, rank), parts.rows[r]);
                there.plan_receive(rank, tag::transpose + slot, columns(slot, rank), parts.columns[r]);
                back.plan_send(rank, tag::transpose_back + slot, this->results(slot, rank), parts.columns[r]);
                back.plan_receive(rank, tag::transpose_back + slot, rows(slot, rank), parts.rows[r]);
            }
        }
    }

    /// rows(): this rank's rows of the columns that `rank` computes on, later their results. columns(): the rows of
    /// `rank` in the columns that this rank computes on, and results() what is sent back; both are contiguous in the
    /// order of ranks.
    char* rows(int slot, int rank) { return rows_.part(slot, rank); }
    char* columns(int slot, int rank) { return columns_.part(slot, rank); }
    char* results(int slot, int rank) { return apart_.empty() ? columns(slot, rank) : apart_.part(slot, rank); }

    /// For every piece: take(piece, slot) fills rows(slot, .), work(piece, slot) makes results(slot, .), and
    /// put(piece, slot) reads the returned rows(slot, .). Collective, with the same number of pieces on all ranks.
    template <class Take, class Work, class Put>
    void run(std::uint64_t pieces, Take take, Work work, Put put) {
        const auto slot_of = [this](std::uint64_t piece) {
            return static_cast<int>(piece % static_cast<unsigned>(slots_));
        };
        const auto store = [&](std::uint64_t piece) {
            back_[static_cast<std::size_t>(slot_of(piece))]->finish();
            put(piece, slot_of(piece));
        };
        // in one turn, piece `turn` is sent, the one before is computed and returned, the one before that is stored
        for (std::uint64_t turn = 0; turn < pieces + 2; ++turn) {
            if (turn >= 2 && slots_ == 2) store(turn - 2);
            if (turn < pieces) {
                take(turn, slot_of(turn));
                there_[static_cast<std::size_t>(slot_of(turn))]->start();
            }
            if (turn >= 1 && turn <= pieces) {
                const int slot = slot_of(turn - 1);
                there_[static_cast<std::size_t>(slot)]->finish();
                work(turn - 1, slot);
                back_[static_cast<std::size_t>(slot)]->start();
            }
            if (turn >= 2 && slots_ > 2) store(turn - 2);
        }
    }

    /// Bytes of the buffers of rows and columns, in place and with three pieces under way, on host or device.
    static std::uint64_t bytes(std::size_t part_bytes, int ranks) {
        return std::uint64_t{2} * 3 * part_bytes * static_cast<std::uint64_t>(ranks);
    }

  private:
    /// Parts of all ranks, for every slot.
    class SlotMemory {
      public:
        SlotMemory(int slots, const std::vector<std::size_t>& parts) : starts_(parts.size() + 1) {
            std::partial_sum(parts.begin(), parts.end(), starts_.begin() + 1);
            memory_ = Buffer<char, Backend>(static_cast<std::size_t>(slots) * starts_.back());
        }
        bool empty() const { return memory_.size() == 0; }
        char* part(int slot, int rank) {
            return memory_.data() + static_cast<std::size_t>(slot) * starts_.back() +
                   starts_[static_cast<std::size_t>(rank)];
        }

      private:
        std::vector<std::size_t> starts_;
        Buffer<char, Backend> memory_;
    };

    int slots_;
    SlotMemory rows_, columns_, apart_;
    std::vector<std::unique_ptr<Exchange<Backend>>> there_, back_;  ///< [slot]
};

}  // namespace strata
