// SPDX-License-Identifier: BSD-3-Clause
// Ids and coins: open components get consecutive ids in canonical order, and every component the coin of its own
// canonical root.
#include "kernels/swendsen_wang/band_kernels.hpp"
#include "kernels/swendsen_wang/counters.hpp"
#include "kernels/swendsen_wang/philox_simd.hpp"

namespace strata::swendsen_wang::STRATA_ISA {
namespace {

/// Coin words (counters.hpp) of `count` tiles from `first_tile`; returns where they lie in `scratch`.
const std::uint64_t* draw_coins(const SliceView& s, std::uint64_t first_tile, std::uint64_t count,
                                std::uint64_t* scratch) {
    const std::uint64_t first_call = first_tile / 2;
    const std::uint32_t purpose = counter_purpose(Purpose::coin, 0, 0);
    for (std::uint64_t call = first_call; 2 * call < first_tile + count; call += 2 * lanes) {
        const Words even = set(call) + ramp(2), odd = even + 1;
        const WordQuad r = TileRandom(even, odd, s.sweep, s.seed).words(purpose);
        const Words low = set(0xFFFFFFFFu);
        const Words tile[4] = {(r.w[0] & low) | r.w[1] << 32, (r.w[2] & low) | r.w[3] << 32,
                               r.w[0] >> 32 | (r.w[1] & ~low), r.w[2] >> 32 | (r.w[3] & ~low)};
        std::uint64_t* out = scratch + 2 * (call - first_call);
        for (int i = 0; i < lanes; ++i)
            for (int j = 0; j < 4; ++j) out[4 * i + j] = tile[j][i];
    }
    return scratch + first_tile % 2;
}

}  // namespace

void number_rows(const SliceView& s, ThreadSlice& mine, Range rows) {
    const std::uint64_t tiles = s.lattice.row_tiles();
    std::uint32_t id = mine.last_id;
    for (std::uint64_t row = rows.first; row < rows.last; ++row) {
        const std::uint64_t* coin =
            draw_coins(s, s.lattice.first_tile(static_cast<std::int64_t>(row)), tiles, mine.row_words);
        for (std::uint64_t t = 0; t < tiles; ++t) {
            const std::uint64_t n = s.number(row, t);
            const int open = count_bits(s.open[n]);
            s.base[n] = id;
            write_ramp(s.parent + id, id, open);
            unpack_bits(extract_bits(coin[t], s.open[n]), open, s.flip + id);
            s.coins[n] = open == 64 ? 0 : extract_bits(coin[t], s.closed[n]) << open;
            id += static_cast<std::uint32_t>(open);
        }
    }
    mine.last_id = id;
}

}  // namespace strata::swendsen_wang::STRATA_ISA
