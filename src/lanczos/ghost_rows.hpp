// SPDX-License-Identifier: BSD-3-Clause
// Rows of other ranks that a multiplication needs (ghost rows), for all ranks at once and by counting: the bit strings of
// the rows are walked, no table is read. Where that would take too long, the lowest sites are not distinguished: bit strings
// that agree on the others are consecutive rows, and of these the needed ones are counted by binomials.
#pragma once

#include <cstdint>
#include <vector>

#include "lanczos/sector_counts.hpp"

namespace strata::lanczos {

/// What one rank exchanges if every rank is a node of its own. Reals of a vector, in whole blocks of rows per peer.
struct RankRows {
    std::uint64_t received = 0, sent = 0;
    std::uint64_t up_entries = 0;  ///< hops within the up bit strings that its rows list
    bool exact = true;             ///< else no number is too small
};

struct GhostRows {
    std::vector<RankRows> of_rank;  ///< ranks beyond hold no rows
    double elements = 0;            ///< of a vector that all ranks receive together, padding left out
    bool exact = true;              ///< else no number is too small
};

/// Visits of a bit string by a hop that the walk may make: a fraction of a second.
constexpr std::uint64_t max_visits = 10'000'000;

GhostRows count_ghost_rows(const SectorCounts& sector, Arithmetic arithmetic, int ranks,
                           std::uint64_t visits = max_visits);

}  // namespace strata::lanczos
