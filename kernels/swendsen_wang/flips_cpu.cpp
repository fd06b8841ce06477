// SPDX-License-Identifier: BSD-3-Clause
// Flips the clusters whose spin is -1. One ascending pass over the ids sets the spin of every component to that of its
// cluster: its parent has a smaller id, so the parent's spin is final already. Then each tile looks up the spins of its
// sites.
#include <algorithm>

#include "kernels/swendsen_wang/simd.hpp"
#include "kernels/swendsen_wang/sweep_kernels.hpp"
#include "strata/parallel.hpp"

namespace strata::swendsen_wang::STRATA_ISA {
namespace {

/// Spin of the cluster of component `id` of this thread.
inline std::uint8_t resolved_spin(const SlabView& s, const ThreadPart& mine, std::uint32_t id) {
    std::uint32_t up = s.parent[id];
    if (up < mine.first_id) up = root_of(s.parent, up);
    return __atomic_load_n(s.cluster_spin + up, __ATOMIC_RELAXED);
}

/// Resolves the cluster spins of the boundary components of tiles `here` .. `end` - 1 in ascending order of ids.
inline void resolve_tiles(const SlabView& s, const ThreadPart& mine, std::uint64_t here, std::uint64_t end,
                          std::uint64_t last_tile) {
    const std::uint32_t last = end == last_tile ? mine.last_id : s.first_id[end];
    for (std::uint32_t id = s.first_id[here]; id < last; ++id)
        __atomic_store_n(s.cluster_spin + id, resolved_spin(s, mine, id), __ATOMIC_RELAXED);
}

/// Sets the states of the sites of tile number `n` to those of their clusters.
inline void set_states(const SlabView& s, std::uint64_t n, int boundary, std::int64_t word, std::uint64_t in_row) {
    const std::uint8_t* states = s.cluster_spin + s.first_id[n];
    for (int bit = 0; bit < s.state_bits; ++bit) {
        std::uint64_t by_component = s.interior_spins[bit][n];
        for (int c = 0; c < boundary; ++c) by_component |= std::uint64_t{states[c] >> bit & 1u} << c;
        s.spins[bit][word] = look_up_bits(s.component + 64 * n, by_component) & in_row;
    }
}

/// Resolving is limited by instructions and flipping by memory, so they alternate in chunks of tiles. Flipping is one
/// chunk behind, because it reads whole vectors of spins that must have left the store buffer.
void flip_rows(const SlabView& s, ThreadPart& mine) {
    constexpr std::uint64_t chunk = 16, ahead = 32;  // tiles
    const TileLattice& l = s.lattice;
    const std::uint64_t tiles = l.row_tiles(), in_last = sites_below(l.dimensions, 0, l.width(0, tiles - 1));
    const std::uint64_t last_tile = s.index_of(mine.rows.last, 0);
    std::uint64_t resolved = s.index_of(mine.rows.first, 0);
    for (std::uint64_t r = mine.rows.first; r < mine.rows.last; ++r) {
        const auto row = static_cast<std::int64_t>(r);
        std::uint64_t* spins = s.spins[0] + s.word(row, 0);
        const std::uint64_t in_row = row_sites(l, row), first = s.index_of(r, 0);
        for (std::uint64_t t = 0; t < tiles; ++t) {
            const std::uint64_t n = first + t;
            while (resolved < last_tile && resolved < n + chunk) {
                const std::uint64_t end = std::min(resolved + chunk, last_tile);
                resolve_tiles(s, mine, resolved, end, last_tile);
                resolved = end;
            }
            __builtin_prefetch(s.component + 64 * (n + ahead));
            const int boundary = count_bits(s.boundary_minima[n]);
            if (s.state_bits == 1) {
                const std::uint64_t by_component =
                    s.interior_spins[0][n] | pack_bytes(s.cluster_spin + s.first_id[n], boundary);
                spins[t] ^= look_up_bits(s.component + 64 * n, by_component) & in_row;
            } else {
                set_states(s, n, boundary, s.word(row, t), in_row);
            }
        }
        for (int bit = 0; bit < s.state_bits; ++bit) {
            std::uint64_t* digits = s.spins[bit] + s.word(row, 0);
            digits[tiles - 1] &= in_last;
            digits[tiles] = digits[0];  // the periodic right neighbour of the last tile
        }
    }
}

void flip_clusters(const SlabView& s) {
    in_team(s.thread_count, [&](int thread) { flip_rows(s, s.threads[thread]); });
}

}  // namespace

void fill_flips(SweepKernels& table) { table.flip_clusters = flip_clusters; }

}  // namespace strata::swendsen_wang::STRATA_ISA
