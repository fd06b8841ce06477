// SPDX-License-Identifier: BSD-3-Clause
// A vector of tiles [block][panel], whose blocks are spread over the ranks, turned for a while so that each rank has
// all blocks of some panels: there and back. Panels go in groups, so that one group is on its way while another is
// worked on and the memory stays a fraction of the vector. Volume: 2 (P - 1) / P vectors, whatever couples to whatever.
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
    /// `blocks`: of each rank, without gaps. Tiles have `tile` reals; [block][panel] in the ranks' memory.
    SubvectorExchange(const Communicator& comm, std::vector<Range> blocks, std::uint64_t panels, std::uint64_t tile);

    /// Groups that `panels` are cut into: the memory taken is 6 / groups of a rank's part of the vector.
    static std::uint64_t group_count(std::uint64_t panels, std::uint64_t ranks);
    std::uint64_t groups() const { return groups_; }
    const std::vector<Range>& blocks() const { return blocks_; }
    /// Panels of a group that a rank works on, counted from the first of all.
    Range panels(std::uint64_t group, int rank) const;

    /// Sends this rank's blocks of the group's panels in `vector` to those who work on them.
    void start_gather(std::uint64_t group, const double* vector);
    void finish_gather(std::uint64_t group);
    /// After finish_gather: [panel of this rank][block of rank][tile] per rank, and room for the answer laid out alike.
    const double* const* gathered(std::uint64_t group) const { return sets_[group % 2].gathered.data(); }
    double* const* answer(std::uint64_t group) const { return sets_[group % 2].answer.data(); }

    void start_return(std::uint64_t group);
    void finish_return(std::uint64_t group);
    /// After finish_return: [panel of panels(group, rank)][own block][tile], from the rank that worked on them.
    const double* returned(std::uint64_t group, int rank) const;

  private:
    /// Two groups are under way at most.
    struct Set {
        Buffer<double> sent, received, worked;  ///< own tiles (and what returns for them), others' tiles, answers
        std::vector<const double*> gathered;    ///< [rank] into received
        std::vector<double*> answer;            ///< [rank] into worked
    };
    std::uint64_t own_tiles(std::uint64_t group, int rank) const { return panels(group, rank).size() * own().size(); }
    const Range& own() const { return blocks_[static_cast<std::size_t>(comm_.rank())]; }

    const Communicator& comm_;
    std::vector<Range> blocks_;
    std::uint64_t panels_, tile_, groups_;
    Set sets_[2];
    std::vector<std::unique_ptr<Exchange<Cpu>>> gathers_, returns_;  ///< [group]
};

}  // namespace strata
