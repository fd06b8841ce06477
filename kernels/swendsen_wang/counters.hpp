// SPDX-License-Identifier: BSD-3-Clause
// Which random word belongs to what: the contract that makes a trajectory independent of ranks, threads, vector width
// and device. Every word is Philox4x32-10 of (seed; counter), the counter naming half a tile (32 sites), a purpose and
// a sweep:
//   counter[0] = half tile, low 32 bits        half tile = 2 * tile + (0: local sites 0..31, 1: 32..63)
//   counter[1] = purpose << 16 | axis << 8 | call
//   counter[2] = sweep, low 32 bits
//   counter[3] = sweep bits 32..47 << 16 | half tile bits 32..47
// A cluster takes the coin of its canonical root: of its sites the one with the smallest number
//   128 * tile + (64 if no bond of the site leaves its tile) + local site,
// which whoever looks at one tile alone can order by tile without knowing the cluster.
// Lattices of up to 2^53 sites and runs of up to 2^48 sweeps never use a word twice.
#pragma once

#include <cstdint>

namespace strata::swendsen_wang {

enum class Purpose : std::uint32_t { bond = 0, coin = 1, start = 2 };

constexpr std::uint32_t counter_purpose(Purpose purpose, int axis, int call) {
    return static_cast<std::uint32_t>(purpose) << 16 | static_cast<std::uint32_t>(axis) << 8 |
           static_cast<std::uint32_t>(call);
}

}  // namespace strata::swendsen_wang
