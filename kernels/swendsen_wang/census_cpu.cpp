// SPDX-License-Identifier: BSD-3-Clause
// Sizes of the clusters of one sweep, counted in integers.
#include <omp.h>

#include "kernels/swendsen_wang/simd.hpp"
#include "kernels/swendsen_wang/sweep_kernels.hpp"

namespace strata::swendsen_wang::STRATA_ISA {
namespace {

/// Sites of the lattice in tile `tile` of a row.
inline std::uint64_t tile_sites(const TileLattice& l, std::uint64_t in_row, std::uint64_t tile) {
    return tile + 1 == l.row_tiles() ? in_row & sites_below(l.dimensions, 0, l.width(0, tile)) : in_row;
}

/// Sizes of this thread's components: open ones to size[id], closed ones summed.
void count_rows(const SliceView& s, const ThreadSlice& mine, std::uint64_t* size, ClusterSums& closed, int shift) {
    const TileLattice& l = s.lattice;
    for (std::uint64_t r = mine.rows.first; r < mine.rows.last; ++r) {
        const auto row = static_cast<std::int64_t>(r);
        std::uint64_t in_row = sites_below(l.dimensions, l.slow_axis(), l.width(l.slow_axis(), l.layer_of(row)));
        if (l.dimensions == 3) in_row &= sites_below(3, 1, l.width(1, l.in_layer(row)));
        for (std::uint64_t t = 0; t < l.row_tiles(); ++t) {
            const std::uint64_t n = s.number(r, t);
            const std::uint8_t* codes = s.codes + 64 * n;
            const int open = __builtin_popcountll(s.open[n]);
            // sites beyond the edge are closed components of one site each, and the last in canonical order or not:
            // their roots are no sites of the lattice
            for (int c = 0; c < open; ++c) size[s.base[n] + static_cast<std::uint32_t>(c)] = static_cast<std::uint64_t>(count_code(codes, static_cast<std::uint8_t>(c)));
            const std::uint64_t sites = tile_sites(l, in_row, t);
            int code = open;
            for (std::uint64_t roots = s.closed[n]; roots != 0; roots &= roots - 1, ++code) {
                if ((sites >> __builtin_ctzll(roots) & 1) == 0) continue;
                closed.add(static_cast<std::uint64_t>(count_code(codes, static_cast<std::uint8_t>(code))), shift);
            }
        }
    }
}

/// Hands sizes from children to roots within this thread's ids, largest id first.
void fold_own(const SliceView& s, const ThreadSlice& mine, std::uint64_t* size) {
    for (std::uint32_t id = mine.last_id; id-- > mine.first_id;) {
        const std::uint32_t up = s.parent[id];
        if (up != id && up >= mine.first_id) size[up] += size[id];
    }
}

/// Hands sizes of this thread's roots to the slice's roots in other threads' ids.
void fold_shared(const SliceView& s, const ThreadSlice& mine, std::uint64_t* size) {
    for (std::uint32_t id = mine.first_id; id < mine.last_id; ++id) {
        const std::uint32_t up = s.parent[id];
        if (up < mine.first_id) __atomic_fetch_add(size + find_root(s.parent, up), size[id], __ATOMIC_RELAXED);
    }
}

}  // namespace

void count_sizes(const SliceView& s, std::uint64_t* size, ClusterSums& closed) {
    const int shift = fourth_moment_shift(s.lattice.sites());
#pragma omp parallel num_threads(s.thread_count)
    {
        const ThreadSlice& mine = s.threads[omp_get_thread_num()];
        ClusterSums sums;
        count_rows(s, mine, size, sums, shift);
        fold_own(s, mine, size);
#pragma omp barrier
        fold_shared(s, mine, size);
#pragma omp critical
        closed.add(sums);
    }
}

}  // namespace strata::swendsen_wang::STRATA_ISA
