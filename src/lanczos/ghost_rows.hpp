// SPDX-License-Identifier: BSD-3-Clause
// Ghost rows: rows of other ranks that a rank needs in order to apply H. Two ways to find them: needed_rows() reads the
// tables of a sector and names the rows of one rank; count_ghost_rows() counts those of all ranks without any table,
// from the occupation bit strings of the rows alone, so that a job of any size can be planned on one core.
#pragma once

#include <cstdint>
#include <vector>

#include "lanczos/sector.hpp"

namespace strata::lanczos {

/// Rows of `subspace` that `rank` needs in order to apply H to its rows of all subspaces, its own included; one flag
/// each.
std::vector<bool> needed_rows(const Sector& sector, std::size_t subspace, int ranks, int rank);

/// What one rank exchanges if every rank is a node of its own. Reals of a vector, in whole blocks of rows per peer.
struct RankRows {
    std::uint64_t received = 0, sent = 0;
    std::uint64_t up_entries = 0;  ///< entries of H_up in the rank's rows
    bool exact = true;             ///< false: the numbers are upper bounds
};

struct GhostRows {
    std::vector<RankRows> of_rank;  ///< ranks beyond the last one hold no rows
    double elements = 0;            ///< elements of a vector that all ranks receive together, without padding
    bool exact = true;              ///< false: the numbers are upper bounds
};

/// The ghost rows of all ranks from the tables of a sector with one subspace, exactly.
GhostRows listed_ghost_rows(const Sector& sector, Arithmetic arithmetic, int ranks);

/// Steps of the count, one for each hop of each row or prefix, before it is coarsened: a fraction of a second.
constexpr std::uint64_t max_visits = 10'000'000;

/// Where more than `visits` steps would be needed, bit strings that differ only on the lowest sites are counted
/// together; the numbers are then upper bounds.
GhostRows count_ghost_rows(const SectorCounts& sector, Arithmetic arithmetic, int ranks,
                           std::uint64_t visits = max_visits);

}  // namespace strata::lanczos
