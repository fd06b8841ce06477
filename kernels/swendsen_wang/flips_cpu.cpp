// SPDX-License-Identifier: BSD-3-Clause
// Ids, coins and flips. Open components get consecutive ids in canonical order and each the coin of its own canonical
// root; after the unions one ascending pass hands every component the coin of its cluster's root, which has a smaller
// id and so is final already.
#include <omp.h>

#include "kernels/swendsen_wang/counters.hpp"
#include "kernels/swendsen_wang/philox_simd.hpp"
#include "kernels/swendsen_wang/sweep_kernels.hpp"

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

void number_rows(const SliceView& s, ThreadSlice& mine) {
    const std::uint64_t tiles = s.lattice.row_tiles();
    std::uint32_t id = mine.first_id;
    for (std::uint64_t row = mine.rows.first; row < mine.rows.last; ++row) {
        const std::uint64_t* coin =
            draw_coins(s, s.lattice.first_tile(static_cast<std::int64_t>(row)), tiles, mine.row_words);
        for (std::uint64_t t = 0; t < tiles; ++t) {
            const std::uint64_t n = s.number(row, t);
            const int open = __builtin_popcountll(s.open[n]);
            s.base[n] = id;
            write_ramp(s.parent + id, id, open);
            unpack_bits(extract_bits(coin[t], s.open[n]), open, s.flip + id);
            s.coins[n] = open == 64 ? 0 : extract_bits(coin[t], s.closed[n]) << open;
            id += static_cast<std::uint32_t>(open);
        }
    }
}

/// Coin of the cluster of component `id` of this thread.
inline std::uint8_t cluster_coin(const SliceView& s, const ThreadSlice& mine, std::uint32_t id) {
    std::uint32_t up = s.parent[id];
    if (up < mine.first_id) up = find_root(s.parent, up);
    return __atomic_load_n(s.flip + up, __ATOMIC_RELAXED);
}

void flip_rows(const SliceView& s, ThreadSlice& mine) {
    const TileLattice& l = s.lattice;
    const std::uint64_t tiles = l.row_tiles(), in_last = sites_below(l.dimensions, 0, l.width(0, tiles - 1));
    for (std::uint64_t r = mine.rows.first; r < mine.rows.last; ++r) {
        const std::uint64_t first = s.number(r, 0);
        const std::uint32_t end = r + 1 == mine.rows.last ? mine.last_id : s.base[first + tiles];
        for (std::uint32_t id = s.base[first]; id < end; ++id)
            __atomic_store_n(s.flip + id, cluster_coin(s, mine, id), __ATOMIC_RELAXED);
        const auto row = static_cast<std::int64_t>(r);
        std::uint64_t* spins = s.spins + s.word(row, 0);
        const std::uint64_t in_row = row_sites(l, row);
        for (std::uint64_t t = 0; t < tiles; ++t) {
            const std::uint64_t n = first + t;
            const std::uint64_t coins = s.coins[n] | pack_bytes(s.flip + s.base[n], __builtin_popcountll(s.open[n]));
            spins[t] ^= look_up_bits(s.codes + 64 * n, coins) & in_row;
        }
        spins[tiles - 1] &= in_last;
        spins[tiles] = spins[0];
    }
}

}  // namespace

bool number_ids(const SliceView& s) {
    std::uint64_t ids = 0;
    for (int t = 0; t < s.thread_count; ++t) {
        s.threads[t].first_id = static_cast<std::uint32_t>(ids);
        ids += s.threads[t].open;
        s.threads[t].last_id = static_cast<std::uint32_t>(ids);
    }
    if (ids > s.id_capacity) return false;
#pragma omp parallel num_threads(s.thread_count)
    number_rows(s, s.threads[omp_get_thread_num()]);
    return true;
}

void flip_clusters(const SliceView& s) {
#pragma omp parallel num_threads(s.thread_count)
    flip_rows(s, s.threads[omp_get_thread_num()]);
}

}  // namespace strata::swendsen_wang::STRATA_ISA
