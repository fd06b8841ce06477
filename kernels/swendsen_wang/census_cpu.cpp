// SPDX-License-Identifier: BSD-3-Clause
// What one configuration and its clusters amount to, counted in integers: sizes of clusters, and up spins per line or
// plane of sites for the structure factor.
#include <omp.h>

#include "kernels/swendsen_wang/simd.hpp"
#include "kernels/swendsen_wang/sweep_kernels.hpp"

namespace strata::swendsen_wang::STRATA_ISA {
namespace {

/// Sizes of this thread's components: open ones to size[id], closed ones, which are whole clusters, to `closed`.
void count_rows(const SliceView& s, const ThreadSlice& mine, std::uint64_t* size, ClusterSums& closed, int shift) {
    const TileLattice& l = s.lattice;
    std::uint64_t of_size[sites_per_tile + 1] = {};  // closed components by size: their powers are summed at the end
    std::uint8_t counts[sites_per_tile];
    for (std::uint64_t r = mine.rows.first; r < mine.rows.last; ++r) {
        const std::uint64_t in_row = row_sites(l, static_cast<std::int64_t>(r));
        for (std::uint64_t t = 0; t < l.row_tiles(); ++t) {
            const std::uint64_t n = s.number(r, t);
            const int open = count_bits(s.open[n]), all = open + count_bits(s.closed[n]);
            count_codes(s.codes + 64 * n, counts);
            for (int c = 0; c < open; ++c) size[s.base[n] + static_cast<std::uint32_t>(c)] = counts[c];
            for (int c = open; c < all; ++c) ++of_size[counts[c]];
            // sites beyond the lattice's edge are closed components of one site each
            of_size[1] -= 64 - static_cast<std::uint64_t>(count_bits(tile_sites(l, in_row, t)));
        }
    }
    for (std::uint64_t i = 1; i <= sites_per_tile; ++i) closed.add(i, of_size[i], shift);
}

/// Hands sizes from children to roots within this thread's ids, largest id first.
void fold_own(const SliceView& s, const ThreadSlice& mine, std::uint64_t* size) {
    for (std::uint32_t id = mine.last_id; id-- > mine.first_id;) {
        const std::uint32_t up = s.parent[id];
        if (up != id && up >= mine.first_id) {
            size[up] += size[id];
            size[id] = 0;
        }
    }
}

/// Hands sizes of this thread's roots to the slice's roots in other threads' ids.
void fold_shared(const SliceView& s, const ThreadSlice& mine, std::uint64_t* size) {
    for (std::uint32_t id = mine.first_id; id < mine.last_id; ++id) {
        const std::uint32_t up = s.parent[id];
        if (up >= mine.first_id) continue;
        __atomic_fetch_add(size + find_root(s.parent, up), size[id], __ATOMIC_RELAXED);
        size[id] = 0;
    }
}

/// Up spins of this thread's rows by x, y (and z): plane[axis][coordinate], coordinates along the slow axis counted
/// from the slice's first layer.
template <int D>
void count_row_planes(const SliceView& s, ThreadSlice& mine, std::uint64_t* const* plane) {
    const TileLattice& l = s.lattice;
    constexpr std::uint64_t edge = D == 2 ? 8 : 4;
    const std::uint64_t stride = l.row_stride();
    std::uint64_t* by_x = mine.row_words;  // [x within the tile][tile]
    for (std::uint64_t i = 0; i < edge * stride; ++i) by_x[i] = 0;
    for (std::uint64_t r = mine.rows.first; r < mine.rows.last; ++r) {
        const std::uint64_t* spins = s.spins + s.word(static_cast<std::int64_t>(r), 0);
        Words by_row[D][edge] = {};  // along y (and z)
        for (std::uint64_t t = 0; t < l.row_tiles(); t += lanes) {
            Words here = load(spins + t);
            for (std::uint64_t i = 0; i < lanes; ++i)
                if (t + i >= l.row_tiles()) here[i] = 0;
            for (std::uint64_t i = 0; i < edge; ++i) {
                std::uint64_t* x = by_x + i * stride + t;
                store(x, load(x) + popcount(here >> i & set(first_sites(D, 0))));
                for (int axis = 1; axis < D; ++axis)
                    by_row[axis][i] += popcount(here & set(last_sites(D, axis, i + 1)));
            }
        }
        const std::uint64_t layer = r / l.rows_per_layer(), in_layer = r % l.rows_per_layer();
        for (int axis = 1; axis < D; ++axis)
            for (std::uint64_t i = 0; i < edge; ++i) {
                std::uint64_t up = 0;
                for (int lane = 0; lane < lanes; ++lane) up += by_row[axis][i][lane];
                const std::uint64_t at = (axis == D - 1 ? layer : in_layer) * edge + i;
                if (up != 0) __atomic_fetch_add(plane[axis] + at, up, __ATOMIC_RELAXED);
            }
    }
    for (std::uint64_t x = 0; x < l.extent[0]; ++x)
        __atomic_fetch_add(plane[0] + x, by_x[x % edge * stride + x / edge], __ATOMIC_RELAXED);
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
        closed += sums;
    }
}

void sum_sizes(const SliceView& s, const std::uint64_t* size, ClusterSums& open) {
    const int shift = fourth_moment_shift(s.lattice.sites());
#pragma omp parallel num_threads(s.thread_count)
    {
        const ThreadSlice& mine = s.threads[omp_get_thread_num()];
        ClusterSums sums;
        for (std::uint32_t id = mine.first_id; id < mine.last_id; ++id)
            if (size[id] != 0) sums.add(size[id], 1, shift);
#pragma omp critical
        open += sums;
    }
}

void count_planes(const SliceView& s, std::uint64_t* const* plane) {
#pragma omp parallel num_threads(s.thread_count)
    {
        ThreadSlice& mine = s.threads[omp_get_thread_num()];
        if (s.lattice.dimensions == 2)
            count_row_planes<2>(s, mine, plane);
        else
            count_row_planes<3>(s, mine, plane);
    }
}

}  // namespace strata::swendsen_wang::STRATA_ISA
