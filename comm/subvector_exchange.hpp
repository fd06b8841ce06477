// SPDX-License-Identifier: BSD-3-Clause
// All-to-all transpose of a vector of tiles [block][panel]. Each rank owns some blocks, with all their panels; after
// the transpose it has all blocks of some panels, computes on them, and the results are transposed back:
//
//     owned            panel 0  1  2  3                gathered         panel 0  1 | 2  3
//     block 0 | rank 0       x  x  x  x                block 0                x  x | x  x
//     block 1 | rank 1       x  x  x  x                block 1                x  x | x  x
//                                                                      rank 0      | rank 1
//
// Panels are divided into groups, and each group into one part per rank. Messages of the next group overlap with the
// computation on the present one, and the buffers remain a fraction of the vector. Volume over P ranks: 2 (P - 1) / P
// vectors, for any computation.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "comm/exchange.hpp"
#include "strata/buffer.hpp"
#include "strata/partition.hpp"

namespace strata {

class SubvectorExchange {
  public:
    /// `blocks`: [rank] its blocks, ascending without gaps. Tiles have `tile` doubles; the vector of a rank is stored
    /// as [block][panel][tile]. `comm` must outlive the object.
    SubvectorExchange(const Communicator& comm, std::vector<Range> blocks, std::uint64_t panels, std::uint64_t tile);

    /// Number of groups of `panels`. The buffers need 6 / groups times the memory of a rank's part of the vector.
    static std::uint64_t group_count(std::uint64_t panels, std::uint64_t ranks);
    std::uint64_t groups() const { return groups_; }
    const std::vector<Range>& blocks() const { return blocks_; }
    /// Panels of a group that `rank` computes on, counted from panel 0 of the vector.
    Range panels(std::uint64_t group, int rank) const;

    /// Sends this rank's blocks of the group's panels to the ranks that compute on them.
    void start_gather(std::uint64_t group, const double* vector);
    void finish_gather(std::uint64_t group);
    /// [rank] the tiles of that rank's blocks, as [panel][block][tile] for the panels that this rank computes on. Valid
    /// after finish_gather().
    const double* const* gathered(std::uint64_t group) const { return buffers(group).gathered.data(); }
    /// Memory for the results, laid out as gathered().
    double* const* answer(std::uint64_t group) const { return buffers(group).answer.data(); }

    /// Sends the results back to the ranks that own the blocks.
    void start_return(std::uint64_t group);
    void finish_return(std::uint64_t group);
    /// Results of `rank` for this rank's blocks, [panel of panels(group, rank)][own block][tile]. Valid after
    /// finish_return().
    const double* returned(std::uint64_t group, int rank) const;

  private:
    /// Buffers of one group. At most two groups are under way, and groups of the same parity share buffers.
    struct Buffers {
        /// [rank] own tiles sent to it; later their results.
        Buffer<double> own;
        /// [rank] tiles received from it.
        Buffer<double> received;
        Buffer<double> results;               ///< [rank] results for its tiles
        std::vector<const double*> gathered;  ///< [rank] into `received`; own tiles stay in `own`
        std::vector<double*> answer;          ///< [rank] into `results`
    };
    /// Offset and number of doubles of one rank's part of a buffer.
    struct Share {
        std::uint64_t first, size;
    };
    Buffers& buffers(std::uint64_t group) { return buffers_[group % 2]; }
    const Buffers& buffers(std::uint64_t group) const { return buffers_[group % 2]; }
    const Range& own() const { return blocks_[static_cast<std::size_t>(comm_.rank())]; }
    Share own_share(std::uint64_t group, int rank) const;
    Share received_share(std::uint64_t group, int rank) const;
    void allocate();
    void plan_group(std::uint64_t group);

    const Communicator& comm_;
    std::vector<Range> blocks_;
    std::uint64_t panels_, tile_, groups_;
    Buffers buffers_[2];
    std::vector<std::unique_ptr<Exchange<Cpu>>> gathers_, returns_;  ///< [group]
};

}  // namespace strata
