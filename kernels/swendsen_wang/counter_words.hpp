// SPDX-License-Identifier: BSD-3-Clause
// Random words of counters.hpp, computed one call at a time: for start configurations, for devices, and as the
// reference of the vector kernels (philox_simd.hpp).
#pragma once

#include <cstdint>

#include "kernels/swendsen_wang/counters.hpp"
#include "kernels/swendsen_wang/potts_states.hpp"
#include "strata/backend.hpp"
#include "strata/rng.hpp"

namespace strata::swendsen_wang {

/// Four random words for one half tile.
STRATA_HOST_DEVICE inline Philox4x32 half_tile_words(std::uint64_t seed, std::uint64_t half_tile, std::uint32_t purpose,
                                                     std::uint64_t sweep) {
    return philox(seed, {static_cast<std::uint32_t>(half_tile), purpose, static_cast<std::uint32_t>(sweep),
                         static_cast<std::uint32_t>(sweep >> 32 << 16 | half_tile >> 32)});
}

/// Random words of a tile for a purpose, as draw_flips() and draw_states() take them.
struct TileDraws {
    std::uint64_t seed, sweep, tile;
    Purpose purpose;
    STRATA_HOST_DEVICE void operator()(int call, std::uint64_t (&words)[4]) const {
        const std::uint32_t of_call = counter_purpose(purpose, 0, call);
        const Philox4x32 low = half_tile_words(seed, 2 * tile, of_call, sweep);
        const Philox4x32 high = half_tile_words(seed, 2 * tile + 1, of_call, sweep);
        for (unsigned i = 0; i < 4; ++i) words[i] = std::uint64_t{high[i]} << 32 | low[i];
    }
    STRATA_HOST_DEVICE static bool any(std::uint64_t w) { return w != 0; }
};

/// Random bits of a tile's 64 sites in one sweep, from which the cluster spins are taken: 1 stands for the spin -1,
/// which flips all sites of the cluster. Half tile h uses word h mod 4 of the call whose half-tile counter is h / 4.
STRATA_HOST_DEVICE inline std::uint64_t cluster_spin_word(std::uint64_t seed, std::uint64_t tile, std::uint64_t sweep) {
    const Philox4x32 words = half_tile_words(seed, tile / 2, counter_purpose(Purpose::cluster_spin, 0, 0), sweep);
    return std::uint64_t{words[tile % 2 * 2 + 1]} << 32 | words[tile % 2 * 2];
}

/// Digit `bit` of the random states of a tile for a hot start of the Potts model.
inline std::uint64_t start_states(std::uint64_t seed, std::uint64_t tile, int states, int bit) {
    std::uint64_t state[max_state_bits];
    draw_states(states, TileDraws{seed, 0, tile, Purpose::start}, state);
    return state[bit];
}

/// Random spins of a tile for a hot start.
inline std::uint64_t start_word(std::uint64_t seed, std::uint64_t tile) {
    const std::uint32_t purpose = counter_purpose(Purpose::start, 0, 0);
    return std::uint64_t{half_tile_words(seed, 2 * tile + 1, purpose, 0)[0]} << 32 |
           half_tile_words(seed, 2 * tile, purpose, 0)[0];
}

}  // namespace strata::swendsen_wang
