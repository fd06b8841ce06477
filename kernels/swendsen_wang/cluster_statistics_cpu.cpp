// SPDX-License-Identifier: BSD-3-Clause
// Cluster statistics of one configuration, in integers: the sizes of the clusters and their moments, for the improved
// estimators (M. Sweeny, Phys. Rev. B 27, 4445 (1983)), and up spins per line or plane of sites for the structure
// factor. Sizes are added to those of the roots: first within the ids of each thread, then between threads.
#include <algorithm>
#include <cstring>
#include <numeric>

#include "kernels/swendsen_wang/simd.hpp"
#include "kernels/swendsen_wang/sweep_kernels.hpp"
#include "strata/parallel.hpp"

namespace strata::swendsen_wang::STRATA_ISA {
namespace {

/// Components of a few tiles whose sites are to be counted. Tiles have few components each and of varying number: one
/// loop over the list of all mispredicts no branch, where a loop for each tile mispredicts its end.
class ComponentList {
  public:
    static constexpr std::uint64_t tiles = 16;

    ComponentList() { std::iota(first_, first_ + 64, std::uint8_t{0}); }
    std::uint64_t count() const { return count_; }
    void clear() { count_ = 0; }
    /// Adds the components 0 .. count - 1 of tile `tile` < tiles.
    void add_first(std::uint64_t tile, int count) { add(tile, first_, count); }
    /// Adds the components of the sites in `minima`, which belong to different components of the tile.
    void add_minima(std::uint64_t tile, const std::uint8_t* component, std::uint64_t minima) {
        std::uint8_t index[64];
        add(tile, index, compress_bytes(component, minima, index));
    }
    /// Number of sites of the i-th component in the list; `component`: those of tile 0.
    std::uint64_t size(const std::uint8_t* component, std::uint64_t i) const {
        return static_cast<std::uint64_t>(count_equal_bytes(component + 64 * tile_[i], index_[i]));
    }

  private:
    void add(std::uint64_t tile, const std::uint8_t* index, int count) {
        std::memcpy(index_ + count_, index, 64);  // whole vectors, which the next tile overwrites from the count on
        std::memset(tile_ + count_, static_cast<int>(tile), 64);
        count_ += static_cast<std::uint64_t>(count);
    }
    std::uint8_t first_[64], index_[64 * (tiles + 1)], tile_[64 * (tiles + 1)];
    std::uint64_t count_ = 0;
};

/// Smallest id of this thread in the cluster of component `id` by the parents that are there.
inline std::uint32_t own_root(const SlabView& s, const ThreadPart& mine, std::uint32_t id) {
    while (s.parent[id] != id && s.parent[id] >= mine.first_id) id = s.parent[id];
    return id;
}

/// The most frequent root among ids at equal distances: most likely that of the largest cluster.
std::uint32_t frequent_root(const SlabView& s, const ThreadPart& mine) {
    constexpr std::uint32_t samples = 32;
    const std::uint32_t ids = mine.last_id - mine.first_id;
    std::uint32_t root[samples], best = mine.first_id;
    std::ptrdiff_t most = 0;
    for (std::uint32_t i = 0; i < samples && ids > 0; ++i) {
        root[i] = own_root(s, mine, mine.first_id + static_cast<std::uint32_t>(std::uint64_t{ids} * i / samples));
        const std::ptrdiff_t count = std::count(root, root + i + 1, root[i]);
        if (count <= most) continue;
        most = count;
        best = root[i];
    }
    return best;
}

/// Adds the sizes of a thread's boundary components, in ascending order of their ids, to those of the roots among its own
/// ids, which become their parents: the parent of a parent is the root already. No branch depends on the data. One root,
/// that of the largest cluster if possible, has its sizes added in a register: in memory every addition would wait for
/// the store of the last one.
class SizesOfRoots {
  public:
    SizesOfRoots(const SlabView& s, const ThreadPart& mine, std::uint64_t* size)
        : parent_(s.parent), size_(size), first_(mine.first_id), frequent_(frequent_root(s, mine)) {}

    void add(std::uint32_t id, std::uint64_t sites) {
        const std::uint32_t up = parent_[id], own = up < first_ ? id : up;
        const std::uint32_t above = parent_[own], root = above < first_ ? own : above;
        parent_[id] = up < first_ ? up : root;
        const std::uint64_t kept = -static_cast<std::uint64_t>(root == frequent_);  // all bits, or none
        of_frequent_ += sites & kept;
        size_[id] = 0;
        size_[root ^ ((root ^ id) & static_cast<std::uint32_t>(kept))] += sites & ~kept;
    }
    /// After the last id of a thread that has ids.
    void finish() { size_[frequent_] = of_frequent_; }

  private:
    std::uint32_t* parent_;
    std::uint64_t* size_;
    std::uint32_t first_, frequent_;
    std::uint64_t of_frequent_ = 0;
};

/// Adds the sizes of this thread's boundary components to size[root] and its interior components, which are whole
/// clusters, to `interior`. Interior components of one site are counted by their minimal sites: the neighbours of a
/// minimal site come after it, so that it has no bond to the next site along any axis if it is alone.
void count_rows(const SlabView& s, const ThreadPart& mine, std::uint64_t* size, ClusterMoments& interior, int shift) {
    const TileLattice& l = s.lattice;
    // Interior components by size; their powers are summed at the end. Four counters of each size in turns, because the
    // next increment of the same one would wait for the store of the last.
    std::uint64_t of_size[sites_per_tile + 1][4] = {};
    ComponentList boundary, inside;
    SizesOfRoots sizes(s, mine, size);
    for (std::uint64_t r = mine.rows.first; r < mine.rows.last; ++r) {
        const auto row = static_cast<std::int64_t>(r);
        const std::uint64_t in_row = row_sites(l, row);
        for (std::uint64_t t = 0; t < l.row_tiles(); t += ComponentList::tiles) {
            const std::uint64_t first = s.index_of(r, t), tiles = std::min(l.row_tiles() - t, ComponentList::tiles);
            const std::uint8_t* component = s.component + 64 * first;
            boundary.clear();
            inside.clear();
            for (std::uint64_t i = 0; i < tiles; ++i) {
                const std::uint64_t n = first + i;
                std::uint64_t bonded = 0;
                for (int axis = 0; axis < l.dimensions; ++axis) bonded |= s.bonds[axis][s.word(row, t + i)];
                boundary.add_first(i, count_bits(s.boundary_minima[n]));
                inside.add_minima(i, component + 64 * i, s.interior_minima[n] & bonded);
                // sites beyond the extents are labelled as interior components of one site each
                of_size[1][0] += static_cast<std::uint64_t>(
                    count_bits(s.interior_minima[n] & ~bonded & tile_sites(l, in_row, t + i)));
            }
            for (std::uint32_t i = 0; i < boundary.count(); ++i)
                sizes.add(s.first_id[first] + i, boundary.size(component, i));
            for (std::uint64_t i = 0; i < inside.count(); ++i) ++of_size[inside.size(component, i)][i % 4];
        }
    }
    if (mine.last_id > mine.first_id) sizes.finish();
    for (std::uint64_t i = 1; i <= sites_per_tile; ++i)
        interior.add(i, of_size[i][0] + of_size[i][1] + of_size[i][2] + of_size[i][3], shift);
}

/// Adds sizes of ids whose parent belongs to another thread to the sizes of the slab's roots.
void add_to_shared_roots(const SlabView& s, const ThreadPart& mine, std::uint64_t* size) {
    if (mine.first_id == 0) return;  // all parents are its own
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

void count_states(const SlabView& s, std::uint64_t* count) {
    in_team(s.thread_count, [&](int thread) {
        const ThreadPart& mine = s.threads[thread];
        std::uint64_t own[max_states] = {};
        for (std::uint64_t r = mine.rows.first; r < mine.rows.last; ++r) {
            const auto row = static_cast<std::int64_t>(r);
            const std::uint64_t in_row = row_sites(s.lattice, row);
            for (std::uint64_t t = 0; t < s.lattice.row_tiles(); ++t)
                count_states_of(s, s.word(row, t), 0, 0, tile_sites(s.lattice, in_row, t), own);
        }
        for (int state = 0; state < s.sweep.states; ++state)
            __atomic_fetch_add(count + state, own[state], __ATOMIC_RELAXED);
    });
}

void count_cluster_sizes(const SlabView& s, std::uint64_t* size, ClusterMoments& interior) {
    const int shift = fourth_moment_shift(s.lattice.sites());
    in_team(s.thread_count, [&](int thread) {
        const ThreadPart& mine = s.threads[thread];
        ClusterMoments moments;
        count_rows(s, mine, size, moments, shift);
#pragma omp barrier
        add_to_shared_roots(s, mine, size);
        moments.bound_sites += mine.bound_sites;
        moments.bound_squares += mine.bound_squares;
#pragma omp critical
        interior += moments;
    });
}

void accumulate_moments(const SlabView& s, const std::uint64_t* size, ClusterMoments& clusters) {
    const int shift = fourth_moment_shift(s.lattice.sites());
    in_team(s.thread_count, [&](int thread) {
        const ThreadPart& mine = s.threads[thread];
        ClusterMoments moments;
        std::uint64_t roots[256];  // their sizes, collected without a branch that depends on the data
        for (std::uint32_t id = mine.first_id; id < mine.last_id;) {
            std::size_t count = 0;
            for (const std::uint32_t end = id + std::min(mine.last_id - id, 256u); id < end; ++id) {
                roots[count] = size[id];
                count += size[id] != 0;
            }
            for (std::size_t i = 0; i < count; ++i) moments.add(roots[i], 1, shift);
        }
        if (s.sweep.ghost.binds())
            for (std::uint32_t id = mine.first_id; id < mine.last_id; ++id)
                if (size[id] != 0 && s.cluster_spin[id] == bound_spin) moments.add_bound(size[id], 1);
#pragma omp critical
        clusters += moments;
    });
}

void count_planes(const SlabView& s, std::uint64_t* const* plane) {
    in_team(s.thread_count, [&](int thread) {
        ThreadPart& mine = s.threads[thread];
        if (s.lattice.dimensions == 2)
            count_row_planes<2>(s, mine, plane);
        else
            count_row_planes<3>(s, mine, plane);
    });
}

}  // namespace

void fill_cluster_statistics(SweepKernels& table) {
    table.count_cluster_sizes = count_cluster_sizes;
    table.accumulate_moments = accumulate_moments;
    table.count_planes = count_planes;
    table.count_states = count_states;
}

}  // namespace strata::swendsen_wang::STRATA_ISA
