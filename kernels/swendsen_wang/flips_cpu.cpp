// SPDX-License-Identifier: BSD-3-Clause
// Flips. After the unions one ascending pass hands every component the coin of its cluster's root, which has a smaller
// id and so is final already; then each tile looks its sites' coins up.
#include <omp.h>

#include <algorithm>

#include "kernels/swendsen_wang/simd.hpp"
#include "kernels/swendsen_wang/sweep_kernels.hpp"

namespace strata::swendsen_wang::STRATA_ISA {
namespace {

/// Coin of the cluster of component `id` of this thread.
inline std::uint8_t cluster_coin(const SliceView& s, const ThreadSlice& mine, std::uint32_t id) {
    std::uint32_t up = s.parent[id];
    if (up < mine.first_id) up = find_root(s.parent, up);
    return __atomic_load_n(s.flip + up, __ATOMIC_RELAXED);
}

/// Coins of the components of tiles `here` .. `end` - 1, roots first: ids ascend.
inline void resolve_tiles(const SliceView& s, const ThreadSlice& mine, std::uint64_t here, std::uint64_t end,
                          std::uint64_t last_tile) {
    const std::uint32_t last = end == last_tile ? mine.last_id : s.base[end];
    for (std::uint32_t id = s.base[here]; id < last; ++id)
        __atomic_store_n(s.flip + id, cluster_coin(s, mine, id), __ATOMIC_RELAXED);
}

/// Resolving is bound by instructions and flipping by memory, so they take turns; flipping stays a chunk behind, since
/// it reads whole vectors of coins that must have left the store buffer.
void flip_rows(const SliceView& s, ThreadSlice& mine) {
    constexpr std::uint64_t chunk = 16, ahead = 32;  // tiles
    const TileLattice& l = s.lattice;
    const std::uint64_t tiles = l.row_tiles(), in_last = sites_below(l.dimensions, 0, l.width(0, tiles - 1));
    const std::uint64_t last_tile = s.number(mine.rows.last, 0);
    std::uint64_t resolved = s.number(mine.rows.first, 0);
    for (std::uint64_t r = mine.rows.first; r < mine.rows.last; ++r) {
        const auto row = static_cast<std::int64_t>(r);
        std::uint64_t* spins = s.spins + s.word(row, 0);
        const std::uint64_t in_row = row_sites(l, row), first = s.number(r, 0);
        for (std::uint64_t t = 0; t < tiles; ++t) {
            const std::uint64_t n = first + t;
            while (resolved < last_tile && resolved < n + chunk) {
                const std::uint64_t end = std::min(resolved + chunk, last_tile);
                resolve_tiles(s, mine, resolved, end, last_tile);
                resolved = end;
            }
            __builtin_prefetch(s.codes + 64 * (n + ahead));
            const std::uint64_t coins = s.coins[n] | pack_bytes(s.flip + s.base[n], count_bits(s.open[n]));
            spins[t] ^= look_up_bits(s.codes + 64 * n, coins) & in_row;
        }
        spins[tiles - 1] &= in_last;
        spins[tiles] = spins[0];
    }
}

}  // namespace

void flip_clusters(const SliceView& s) {
#pragma omp parallel num_threads(s.thread_count)
    flip_rows(s, s.threads[omp_get_thread_num()]);
}

}  // namespace strata::swendsen_wang::STRATA_ISA
