// SPDX-License-Identifier: BSD-3-Clause
// Bonds to the ghost spin (sweep.hpp), which keep clusters from flipping in a field. Sites are bound once their tiles
// have components. A cluster is bound if any of its components is, so that the mark of each boundary component
// is passed on to the root of its cluster once all unions are made.
#include "kernels/swendsen_wang/band_kernels.hpp"
#include "kernels/swendsen_wang/neighbours_simd.hpp"
#include "kernels/swendsen_wang/sweep_kernels.hpp"
#include "strata/parallel.hpp"

namespace strata::swendsen_wang::STRATA_ISA {
namespace {

/// Writes the sites of each tile of a tile row that are bound to the ghost spin to bound[tile].
void draw_bound_sites(const SlabView& s, std::int64_t row, std::uint64_t* bound) {
    const GhostSpin& ghost = s.sweep.ghost;
    const Words in_row = set(row_sites(s.lattice, row)), antiparallel = ghost.up ? Words{} : ~Words{};
    const std::uint64_t first_half = 2 * s.lattice.first_tile(row);
    for (std::uint64_t t = 0; t < s.lattice.row_tiles(); t += lanes) {
        const Words sites = load(s.column_sites + t) & in_row, even = set(first_half + 2 * t) + ramp(2);
        const Words parallel = (load(s.spins[0] + s.word(row, t)) ^ antiparallel) & sites;
        const TileRandom random(even, even + 1, s.sweep.index, s.sweep.seed);
        store(bound + t, draw(random, Purpose::ghost, 0, ghost.bond, parallel));
    }
}

/// Components, as bits, that hold any of the `sites` of a tile.
inline std::uint64_t components_of(const std::uint8_t* component, std::uint64_t sites) {
    std::uint64_t components = 0;
    for (; sites != 0; sites &= sites - 1) components |= std::uint64_t{1} << component[__builtin_ctzll(sites)];
    return components;
}

/// Adds the sizes of some interior components of tile number `n`.
inline void count_bound(const SlabView& s, ThreadPart& mine, std::uint64_t n, std::uint64_t components) {
    for (; components != 0; components &= components - 1) {
        const auto index = static_cast<std::uint8_t>(__builtin_ctzll(components));
        const auto sites = static_cast<std::uint64_t>(count_equal_bytes(s.component + 64 * n, index));
        mine.bound_sites += sites;
        mine.bound_squares += sites * sites;
    }
}

/// Marks the components of tile number `n` that hold any of the sites `bound`.
inline void bind_tile(const SlabView& s, ThreadPart& mine, std::uint64_t n, std::uint64_t bound) {
    std::uint64_t components = components_of(s.component + 64 * n, bound);
    s.interior_spins[0][n] &= ~components;
    const std::uint64_t boundary = static_cast<std::uint64_t>(count_bits(s.boundary_minima[n]));
    const std::uint64_t of_boundary = boundary < 64 ? (std::uint64_t{1} << boundary) - 1 : ~std::uint64_t{0};
    if (s.sweep.observed) count_bound(s, mine, n, components & ~of_boundary);
    components &= of_boundary;
    for (; components != 0; components &= components - 1)
        s.cluster_spin[s.first_id[n] + static_cast<std::uint32_t>(__builtin_ctzll(components))] = bound_spin;
}

void bind_clusters(const SlabView& s) {
    in_team(s.thread_count, [&](int thread) {
        const ThreadPart& mine = s.threads[thread];
        for (std::uint32_t id = mine.first_id; id < mine.last_id; ++id)
            if (__atomic_load_n(s.cluster_spin + id, __ATOMIC_RELAXED) == bound_spin)
                __atomic_store_n(s.cluster_spin + root_of(s.parent, id), bound_spin, __ATOMIC_RELAXED);
    });
}

}  // namespace

void bind_components(const SlabView& s, ThreadPart& mine, Range rows) {
    for (std::uint64_t row = rows.first; row < rows.last; ++row) {
        draw_bound_sites(s, static_cast<std::int64_t>(row), mine.row_words);
        for (std::uint64_t t = 0; t < s.lattice.row_tiles(); ++t)
            bind_tile(s, mine, s.index_of(row, t), mine.row_words[t]);
    }
}

void fill_ghost(SweepKernels& table) { table.bind_clusters = bind_clusters; }

}  // namespace strata::swendsen_wang::STRATA_ISA
