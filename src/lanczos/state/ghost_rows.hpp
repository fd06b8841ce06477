// SPDX-License-Identifier: BSD-3-Clause
// Ghost rows: rows of other ranks that a rank needs in order to apply H. needed_rows() lists the rows of one rank from
// the tables of a sector; count_ghost_rows() counts the ghost rows of all ranks without any table, from the occupation
// bit strings of the rows alone, so that a job of any size can be planned on one core.
#pragma once

#include <cstdint>
#include <vector>

#include "lanczos/physics/sector.hpp"

namespace strata::lanczos {

/// [row of `subspace`]: whether `rank` needs the row in order to compute its rows of H v in all subspaces. Own
/// rows are included.
std::vector<bool> needed_rows(const Sector& sector, std::size_t subspace, int ranks, int rank);

/// Exchange of one rank per step, if every rank is a node of its own.
struct RankRows {
    /// Reals of a vector, in whole blocks of rows per peer; where hops are computed, all that a copy of the vector has.
    std::uint64_t received = 0, sent = 0;
    std::uint64_t up_entries = 0;  ///< number of entries of H_up in the rank's rows
    bool exact = true;             ///< false: the numbers are upper bounds
};

struct GhostRows {
    /// [rank]; ranks beyond the last one own no rows or, where an upper bound lists rank 0 alone, exchange no more.
    std::vector<RankRows> of_rank;
    double elements = 0;  ///< elements of a vector that all ranks receive together, without padding
    bool exact = true;    ///< false: the numbers are upper bounds
};

/// The exact ghost rows of all ranks, from the tables of a sector.
GhostRows listed_ghost_rows(const Sector& sector, Arithmetic arithmetic, int ranks);

/// Largest number of steps of the count, one for each hop of each row or prefix, which takes a fraction of a second.
constexpr std::uint64_t max_visits = 10'000'000;

/// Counts the ghost rows of all ranks. If more than `visits` steps were needed, bit strings that differ only on the
/// lowest sites are counted together, and the numbers are upper bounds.
GhostRows count_ghost_rows(const SectorCounts& sector, Arithmetic arithmetic, int ranks,
                           std::uint64_t visits = max_visits);

}  // namespace strata::lanczos
