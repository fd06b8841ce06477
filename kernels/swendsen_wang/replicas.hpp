// SPDX-License-Identifier: BSD-3-Clause
// Replicas of a small lattice side by side: word t of `group_replicas` replicas lies in one vector, so that a lattice of
// a few tiles leaves no lane of a register empty. Each replica has a seed, a sweep number, couplings and acceptance
// probabilities of its own, and the spins that it would have alone (counters.hpp). Arrays are [row][lane]; the signs of the
// couplings, which a single lattice draws again in every sweep, are kept.
#pragma once

#include <complex>
#include <cstdint>

#include "kernels/swendsen_wang/metropolis.hpp"
#include "kernels/swendsen_wang/tile_lattice.hpp"

namespace strata::swendsen_wang {

/// Replicas of a group; one vector of words, or several, on every processor.
constexpr int group_replicas = 8;

/// One row of an array: a word or a number of each replica of a group.
struct alignas(64) ReplicaWords {
    std::uint64_t lane[group_replicas] = {};
};
struct alignas(64) ReplicaNumbers {
    double lane[group_replicas] = {};
};

/// Neighbours of the sites of a tile in both directions of an axis; the same for all replicas.
struct TileNeighbours {
    std::uint32_t next = 0, previous = 0;  ///< tiles
    std::uint64_t last = 0;                ///< sites next to the next tile
    std::uint64_t last_of_previous = 0;    ///< sites of the previous tile next to this one
    std::uint64_t stride = 0;              ///< bits from a site to the next one
    std::uint64_t shift = 0;               ///< bits from the first sites to the last ones
    std::uint64_t shift_of_previous = 0;   ///< likewise in the previous tile
    std::uint64_t missing = 0;             ///< sites without a bond to their next site
    std::uint64_t missing_before = 0;      ///< sites without a bond to their previous site

    /// Spins of the next sites, of words W of one tile of one replica or of several.
    template <class W>
    W from_next(W here, W next_tile, std::uint64_t first) const {
        return (here >> stride & ~(last + W{})) | (next_tile & (first + W{})) << shift;
    }
    /// Spins of the previous sites.
    template <class W>
    W from_previous(W here, W previous_tile) const {
        return (here & ~(last + W{})) << stride | (previous_tile & (last_of_previous + W{})) >> shift_of_previous;
    }
};

/// A tile of the lattice.
struct ReplicaTile {
    std::uint64_t sites = 0;
    std::uint64_t first[3] = {};  ///< coordinates of its first sites
    TileNeighbours along[3];
};

/// Round keys of Philox: words of the seed plus multiples of Weyl constants, modulo 2^32 in the low half.
constexpr std::uint64_t round_key(std::uint64_t seed, int word, std::uint32_t round) {
    constexpr std::uint32_t weyl[2] = {0x9E3779B9u, 0xBB67AE85u};
    return static_cast<std::uint32_t>(seed >> 32 * word) + round * weyl[word];
}

/// Acceptance probabilities of a group (metropolis.hpp), in the classes that any of its replicas has.
struct ReplicaTable {
    const MetropolisTable::Entry* entries = nullptr;  ///< [class] without thresholds
    int count = 0;
    bool standard = false;  ///< class i has D + 1 + i satisfied bonds, none missing and either spin; there are D
    /// [binary digit, from the highest one][class] all bits where the threshold of the replica has this digit
    const ReplicaWords* digits = nullptr;
};

/// The replicas of one group.
struct ReplicaGroup {
    ReplicaWords key[10][2];  ///< [round][word] of the seeds (round_key())
    ReplicaWords sweep;       ///< numbers of the present sweep
    ReplicaTable table;
    /// [tile][class, then sites of no class] sites whose flip is accepted if they are in the class; scratch memory
    ReplicaWords* accepted = nullptr;
    ReplicaWords* spins = nullptr;           ///< [tile]
    const ReplicaWords* negative = nullptr;  ///< [tile][axis][0: to the next sites, 1: to the previous ones]
};

/// The lattice of all replicas.
struct ReplicaView {
    TileLattice lattice;
    bool open = false;  ///< some axis is open
    const ReplicaTile* tile = nullptr;
    const std::complex<double>* phases[3] = {};  ///< [axis][x] exp(2 pi i x / L)
};

/// Rows of the observables of a group.
struct ReplicaCounts {
    ReplicaWords *satisfied = nullptr, *up = nullptr;  ///< one row: satisfied bonds, up spins
    ReplicaWords* plane[3] = {};                       ///< [axis][coordinate] up spins, also beyond the last site
    ReplicaNumbers* mode = nullptr;  ///< |sum s exp(i k x)|^2 / N at k = 2 pi / L, averaged over the longest axes
};

}  // namespace strata::swendsen_wang
