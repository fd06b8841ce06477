// SPDX-License-Identifier: BSD-3-Clause
// The random words of counters.hpp one at a time: for start configurations, for devices, and as the reference of the
// vector kernels.
#pragma once

#include <cstdint>

#include "kernels/swendsen_wang/counters.hpp"
#include "strata/backend.hpp"
#include "strata/rng.hpp"

namespace strata::swendsen_wang {

/// Four words for one half tile.
STRATA_HOST_DEVICE inline Philox4x32 half_tile_words(std::uint64_t seed, std::uint64_t half_tile, std::uint32_t purpose,
                                                     std::uint64_t sweep) {
    return philox(seed, {static_cast<std::uint32_t>(half_tile), purpose, static_cast<std::uint32_t>(sweep),
                         static_cast<std::uint32_t>(sweep >> 32 << 16 | half_tile >> 32)});
}

/// The coins of a tile's 64 sites in one sweep; a cluster's coin is that of its canonical root. Half tile h takes word
/// h mod 4 of the call that counts h / 4.
STRATA_HOST_DEVICE inline std::uint64_t coin_word(std::uint64_t seed, std::uint64_t tile, std::uint64_t sweep) {
    const Philox4x32 words = half_tile_words(seed, tile / 2, counter_purpose(Purpose::coin, 0, 0), sweep);
    return std::uint64_t{words[tile % 2 * 2 + 1]} << 32 | words[tile % 2 * 2];
}

/// Random spins of a hot start.
inline std::uint64_t start_word(std::uint64_t seed, std::uint64_t tile) {
    const std::uint32_t purpose = counter_purpose(Purpose::start, 0, 0);
    return std::uint64_t{half_tile_words(seed, 2 * tile + 1, purpose, 0)[0]} << 32 |
           half_tile_words(seed, 2 * tile, purpose, 0)[0];
}

}  // namespace strata::swendsen_wang
