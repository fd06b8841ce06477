// SPDX-License-Identifier: BSD-3-Clause
// Cluster statistics of one configuration, in integers: the sizes of the clusters and their moments, for the improved
// estimators (M. Sweeny, Phys. Rev. B 27, 4445 (1983)), and up spins per line or plane of sites for the structure
// factor. Sizes are added to the parents: first within the ids of each thread, then between threads.
#include <omp.h>

#include "kernels/swendsen_wang/simd.hpp"
#include "kernels/swendsen_wang/sweep_kernels.hpp"

namespace strata::swendsen_wang::STRATA_ISA {
namespace {

/// Writes the sizes of this thread's boundary components to size[id] and adds its interior components, which are whole
/// clusters, to `interior`.
void count_rows(const SlabView& s, const ThreadPart& mine, std::uint64_t* size, ClusterMoments& interior, int shift) {
    const TileLattice& l = s.lattice;
    // Interior components by size; their powers are summed at the end. Most have one site: four counters of each size
    // in turns, because the next increment of the same one would wait for the store of the last.
    std::uint64_t of_size[sites_per_tile + 1][4] = {};
    std::uint8_t sizes[sites_per_tile];
    for (std::uint64_t r = mine.rows.first; r < mine.rows.last; ++r) {
        const std::uint64_t in_row = row_sites(l, static_cast<std::int64_t>(r));
        for (std::uint64_t t = 0; t < l.row_tiles(); ++t) {
            const std::uint64_t n = s.index_of(r, t);
            const int boundary = count_bits(s.boundary_minima[n]), all = boundary + count_bits(s.interior_minima[n]);
            count_component_sizes(s.component + 64 * n, all, sizes);
            for (int c = 0; c < boundary; ++c) size[s.first_id[n] + static_cast<std::uint32_t>(c)] = sizes[c];
            for (int c = boundary; c < all; ++c) ++of_size[sizes[c]][c % 4];
            // sites beyond the extents are labelled as interior components of one site each
            of_size[1][0] -= 64 - static_cast<std::uint64_t>(count_bits(tile_sites(l, in_row, t)));
        }
    }
    for (std::uint64_t i = 1; i <= sites_per_tile; ++i)
        interior.add(i, of_size[i][0] + of_size[i][1] + of_size[i][2] + of_size[i][3], shift);
}

/// Adds the size of every id to that of its parent within this thread's ids, from the largest id to the smallest.
void add_to_own_roots(const SlabView& s, const ThreadPart& mine, std::uint64_t* size) {
    for (std::uint32_t id = mine.last_id; id-- > mine.first_id;) {
        const std::uint32_t up = s.parent[id];
        if (up != id && up >= mine.first_id) {
            size[up] += size[id];
            size[id] = 0;
        }
    }
}

/// Adds sizes of ids whose parent belongs to another thread to the sizes of the slab's roots.
void add_to_shared_roots(const SlabView& s, const ThreadPart& mine, std::uint64_t* size) {
    for (std::uint32_t id = mine.first_id; id < mine.last_id; ++id) {
        const std::uint32_t up = s.parent[id];
        if (up >= mine.first_id) continue;
        __atomic_fetch_add(size + root_of(s.parent, up), size[id], __ATOMIC_RELAXED);
        size[id] = 0;
    }
}

/// Adds the up spins of this thread's tile rows to plane[axis][coordinate]. Coordinates along the slow axis are counted
/// from the slab's first tile layer.
template <int D>
void count_row_planes(const SlabView& s, ThreadPart& mine, std::uint64_t* const* plane) {
    const TileLattice& l = s.lattice;
    constexpr std::uint64_t edge = D == 2 ? 8 : 4;
    const std::uint64_t stride = l.row_stride();
    std::uint64_t* by_x = mine.row_words;  // [x within the tile][tile]
    for (std::uint64_t i = 0; i < edge * stride; ++i) by_x[i] = 0;
    for (std::uint64_t r = mine.rows.first; r < mine.rows.last; ++r) {
        const std::uint64_t* spins = s.spins[0] + s.word(static_cast<std::int64_t>(r), 0);
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

/// Adds the sites of each state whose digits below `bit` are given, among `sites` of tile word `word`.
void count_states_of(const SlabView& s, std::int64_t word, int bit, unsigned state, std::uint64_t sites,
                     std::uint64_t* count) {
    if (sites == 0) return;
    if (bit == s.state_bits) {
        count[state] += static_cast<std::uint64_t>(count_bits(sites));
        return;
    }
    const std::uint64_t digit = s.spins[bit][word];
    count_states_of(s, word, bit + 1, state, sites & ~digit, count);
    count_states_of(s, word, bit + 1, state | 1u << bit, sites & digit, count);
}

}  // namespace

void count_states(const SlabView& s, std::uint64_t* count) {
#pragma omp parallel num_threads(s.thread_count)
    {
        const ThreadPart& mine = s.threads[omp_get_thread_num()];
        std::uint64_t own[max_states] = {};
        for (std::uint64_t r = mine.rows.first; r < mine.rows.last; ++r) {
            const auto row = static_cast<std::int64_t>(r);
            const std::uint64_t in_row = row_sites(s.lattice, row);
            for (std::uint64_t t = 0; t < s.lattice.row_tiles(); ++t)
                count_states_of(s, s.word(row, t), 0, 0, tile_sites(s.lattice, in_row, t), own);
        }
        for (int state = 0; state < s.sweep.states; ++state)
            __atomic_fetch_add(count + state, own[state], __ATOMIC_RELAXED);
    }
}

void count_cluster_sizes(const SlabView& s, std::uint64_t* size, ClusterMoments& interior) {
    const int shift = fourth_moment_shift(s.lattice.sites());
#pragma omp parallel num_threads(s.thread_count)
    {
        const ThreadPart& mine = s.threads[omp_get_thread_num()];
        ClusterMoments moments;
        count_rows(s, mine, size, moments, shift);
        add_to_own_roots(s, mine, size);
#pragma omp barrier
        add_to_shared_roots(s, mine, size);
#pragma omp critical
        interior += moments;
    }
}

void accumulate_moments(const SlabView& s, const std::uint64_t* size, ClusterMoments& clusters) {
    const int shift = fourth_moment_shift(s.lattice.sites());
#pragma omp parallel num_threads(s.thread_count)
    {
        const ThreadPart& mine = s.threads[omp_get_thread_num()];
        ClusterMoments moments;
        for (std::uint32_t id = mine.first_id; id < mine.last_id; ++id)
            if (size[id] != 0) moments.add(size[id], 1, shift);
#pragma omp critical
        clusters += moments;
    }
}

void count_planes(const SlabView& s, std::uint64_t* const* plane) {
#pragma omp parallel num_threads(s.thread_count)
    {
        ThreadPart& mine = s.threads[omp_get_thread_num()];
        if (s.lattice.dimensions == 2)
            count_row_planes<2>(s, mine, plane);
        else
            count_row_planes<3>(s, mine, plane);
    }
}

}  // namespace strata::swendsen_wang::STRATA_ISA
