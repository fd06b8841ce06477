// SPDX-License-Identifier: BSD-3-Clause
// Flips. After the unions one ascending pass hands every component the coin of its cluster's root, which has a smaller
// id and so is final already; then each tile looks its sites' coins up.
#include <omp.h>

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

void flip_clusters(const SliceView& s) {
#pragma omp parallel num_threads(s.thread_count)
    flip_rows(s, s.threads[omp_get_thread_num()]);
}

}  // namespace strata::swendsen_wang::STRATA_ISA
