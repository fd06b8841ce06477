// SPDX-License-Identifier: BSD-3-Clause
// Assignment of random words to their uses. It makes a trajectory independent of ranks, threads, vector width and
// device. Every word is Philox4x32-10 of (seed; counter) (Salmon et al., SC11); the counter names half a tile (32
// sites), a purpose and a sweep:
//   counter[0] = half tile, low 32 bits        half tile = 2 * tile + (0: sites 0..31 of the tile, 1: sites 32..63)
//   counter[1] = purpose << 16 | axis << 8 | call
//   counter[2] = sweep, low 32 bits
//   counter[3] = sweep bits 32..47 << 16 | half tile bits 32..47
// The cluster spin is the random bit of the cluster's minimal site, the one with the smallest
//   128 * tile + (64 if no bond of the site leaves its tile) + site in the tile.
// (Potts states: the state of the minimal site, potts_states.hpp.)
// A kernel that reads one tile alone can order the components of the tile by this number without knowing their
// clusters. Lattices of up to 2^53 sites and runs of up to 2^48 sweeps never use a word twice.
#pragma once

#include <cstdint>

namespace strata::swendsen_wang {

enum class Purpose : std::uint32_t {
    bond = 0,
    cluster_spin = 1,
    start = 2,
    coupling = 3,
    metropolis = 4,
    state = 5,
    ghost = 6,
    exchange = 7,  ///< exchange of two temperatures; counter[0] is the number of the lower one
    wolff = 8      ///< first site and new state of the cluster with the number of the sweep; counter[0] is 0
};

/// counter[1] of the `call`-th four words for a purpose and an axis.
constexpr std::uint32_t counter_purpose(Purpose purpose, int axis, int call) {
    return static_cast<std::uint32_t>(purpose) << 16 | static_cast<std::uint32_t>(axis) << 8 |
           static_cast<std::uint32_t>(call);
}

}  // namespace strata::swendsen_wang
